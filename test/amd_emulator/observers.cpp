// Observers that the options ask for, and the simple ones: trace and profile.
#include "code_object.hpp"
#include "observer.hpp"
#include "options.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace emu {

namespace {

/// Prints each instruction of wave 0 of workgroup (0, 0, 0), and its result in lanes 0 and 1.
class Trace : public Observer
{
    void issue(const Wave& w, const Instruction& inst) override
    {
        if(first(w))
            fprintf(stderr,
                    "emu: trace +%#lx %s",
                    static_cast<unsigned long>(inst.pc - w.wg->kernel->entry),
                    inst.text);
    }
    void done(const Wave& w, const Instruction& inst) override
    {
        if(!first(w))
            return;
        const Operand& d = inst.dst[0];
        if(inst.n_dst > 0)
            fprintf(stderr, "   => ");
        for(int i = 0; inst.n_dst > 0 && i < std::min<int>(d.n, 4); ++i)
            if(d.kind == Kind::vector)
                fprintf(stderr, "%08x/%08x ", w.vgpr[d.reg + i][0], w.vgpr[d.reg + i][1]);
            else if(d.kind == Kind::scalar)
                fprintf(stderr, "%08x ", w.sgpr[d.reg + i]);
        fprintf(stderr, "  scc=%u exec=%lx\n", w.scc, static_cast<unsigned long>(w.exec()));
    }
    static bool first(const Wave& w)
    {
        return w.id == 0 && w.wg->id[0] == 0 && w.wg->id[1] == 0 && w.wg->id[2] == 0;
    }
};

/// Counts of all threads, printed when the program ends.
struct Counts
{
    std::mutex mutex;
    std::map<std::string, uint64_t> by_mnemonic;
};
Counts& counts()
{
    static Counts* const all = [] {
        atexit([] {
            std::vector<std::pair<uint64_t, std::string>> rows;
            for(const auto& [mnemonic, count] : counts().by_mnemonic)
                rows.emplace_back(count, mnemonic);
            std::sort(rows.rbegin(), rows.rend());
            for(const auto& [count, mnemonic] : rows)
                fprintf(stderr,
                        "emu: prof %12lu %s\n",
                        static_cast<unsigned long>(count),
                        mnemonic.c_str());
        });
        return new Counts; // never deleted: threads may outlive statics
    }();
    return *all;
}

class Profile : public Observer
{
    std::map<const char*, uint64_t> own_; // key: the text of an instruction's name
    void issue(const Wave&, const Instruction& inst) override { ++own_[inst.mnemonic]; }

public:
    ~Profile() override
    {
        const std::lock_guard lock(counts().mutex);
        for(const auto& [mnemonic, count] : own_)
            counts().by_mnemonic[mnemonic] += count;
    }
};

} // namespace

std::unique_ptr<Observer> make_trace() { return std::make_unique<Trace>(); }
std::unique_ptr<Observer> make_profile() { return std::make_unique<Profile>(); }

Observers make_observers()
{
    Observers observers;
    if(options().trace)
        observers.push_back(make_trace());
    if(options().wait_counts)
        observers.push_back(make_wait_counts());
    if(options().profile)
        observers.push_back(make_profile());
    return observers;
}

} // namespace emu
