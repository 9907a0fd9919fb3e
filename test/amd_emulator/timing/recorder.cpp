// Turns instructions into steps of a trace. Their text is read once, their addresses each time.
#include "recorder.hpp"

#include "../memory_map.hpp"
#include "../options.hpp"
#include "../target.hpp"
#include "accesses.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace emu::timing {
namespace {

class RecordingObserver : public Observer
{
public:
    explicit RecordingObserver(Recorder& recorder) : recorder_(recorder) {}
    void begin(const Workgroup& workgroup) override { recorder_.begin(workgroup); }
    void done(const Wave& wave, const emu::Instruction& instruction) override
    {
        recorder_.done(wave, instruction);
    }

private:
    Recorder& recorder_;
};

/// The registers of a lane that the kernel descriptor asks for (COMPUTE_PGM_RSRC1,
/// GRANULATED_WORKITEM_VGPR_COUNT).
int registers(const Kernel& kernel)
{
    const int granule = target.generation == gfx9 ? (target.gfx90a || target.gfx940 ? 8 : 4)
                        : kernel.wave == 32       ? 8
                                                  : 4;
    return static_cast<int>((kernel.rsrc1 & 63) + 1) * granule;
}

std::atomic<double> microseconds{0}; // time of all launches together

} // namespace

std::chrono::steady_clock::time_point predicted_now()
{
    const std::chrono::duration<double, std::micro> since(microseconds.load());
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(since));
}

Recorder::Recorder(const Kernel& kernel, const LaunchDims& dims, uint32_t lds)
    : machine_(machine(options().chip.empty() ? target.name : options().chip))
{
    if(machine_.target != target.name)
        throw std::invalid_argument("EMU_CHIP is '" + machine_.chip + "', a " + machine_.target +
                                    ", and the target is " + target.name);
    launch_ = {kernel.name,
               target.name,
               static_cast<uint64_t>(dims.grid[0]) * dims.grid[1] * dims.grid[2],
               {static_cast<int>(dims.block[0] * dims.block[1] * dims.block[2]),
                kernel.wave,
                registers(kernel),
                static_cast<int>(lds)}};
    // As many workgroups as fit on a unit, at least sixteen: phases of a problem differ.
    const Occupancy o = occupancy(machine_, launch_.footprint);
    if(o.workgroups < 1)
        throw std::invalid_argument("no workgroup of " + kernel.name +
                                    " fits on a unit: " + o.limit);
    workgroups_ = sample(launch_.workgroups, std::max(16, o.workgroups));
    sampled_    = workgroups_.size();
    neighbours_ = neighbours(machine_, launch_.workgroups, workgroups_[sampled_ / 2]);
    workgroups_.insert(workgroups_.end(), neighbours_.begin() + 1, neighbours_.end());
    notes_accesses = true;
    accesses().clear();
}

std::unique_ptr<Observer> Recorder::observer()
{
    return std::make_unique<RecordingObserver>(*this);
}

void Recorder::begin(const Workgroup& workgroup)
{
    traces_.emplace_back();
    traces_.back().waves.resize(workgroup.waves.size());
    pieces_.clear();
}

uint32_t Recorder::source_of(uint64_t address)
{
    uint64_t first = 0, bytes = 0;
    if(!mem_range(address, first, bytes)) // cannot be: the access was allowed
        return 0;
    const auto [at, is_new] = source_index_.emplace(first, static_cast<uint32_t>(sources_.size()));
    if(is_new)
        sources_.push_back({static_cast<double>(bytes), 0});
    return at->second;
}

void Recorder::done(const Wave& wave, const emu::Instruction& instruction)
{
    const auto [at, is_new] =
        index_.emplace(instruction.text, static_cast<uint32_t>(program_.size()));
    if(is_new)
        program_.push_back(parse_instruction(machine_, instruction.text, wave.W));
    const Instruction& i = program_[at->second];
    WaveTrace& trace     = traces_.back().waves[wave.id];
    std::vector<Access> touched;
    std::swap(touched, accesses());
    if(i.unit == Unit::memory)
    {
        const auto lds = std::stable_partition(touched.begin(), touched.end(), [](const Access& a) {
            return a.address >= lowest_address;
        });
        const std::span<const Access> written(lds, touched.end());
        add_memory_step(machine_,
                        trace,
                        at->second,
                        std::span<const Access>(touched.begin(), lds),
                        wave.W,
                        [&](uint64_t a) { return source_of(a); });
        trace.steps.back().lds_cycles =
            static_cast<uint16_t>(lds_time(machine_, written, true).cycles);
        if(i.is_store && !i.is_atomic)
            note_stores(std::span<const Access>(touched.begin(), lds),
                        trace.steps.back().cycles * machine_.l1_rate);
        if(i.is_atomic)
        {
            std::map<uint64_t, int> operations;
            for(auto a = touched.begin(); a != lds; ++a)
            {
                trace.steps.back().atomics = static_cast<uint16_t>(
                    std::max<int>(trace.steps.back().atomics, ++operations[a->address]));
                if(traces_.size() <= sampled_)
                    ++atomics_[a->address];
            }
        }
        return;
    }
    Step step{at->second};
    if(i.unit == Unit::lds)
    {
        const bool write = std::strstr(instruction.mnemonic, "write") ||
                           std::strstr(instruction.mnemonic, "store");
        const LdsTime t = lds_time(machine_, touched, write);
        // Lanes that exchange values through the LDS's crossbar touch no word of it.
        step.cycles = static_cast<uint16_t>(
            t.cycles > 0 ? t.cycles : wave.W / static_cast<int>(machine_.lds_banks));
        step.conflicts = static_cast<uint16_t>(t.conflicts);
    }
    trace.steps.push_back(step);
}

/// L2 joins what a workgroup stores to the same bytes, and to others of their line.
void Recorder::note_stores(std::span<const Access> stores, double moved)
{
    constexpr uint64_t piece = 32; // bytes
    if(stores.empty() || traces_.size() > sampled_)
        return;
    Stored& stored = stored_[source_of(stores[0].address)];
    stored.moved += moved;
    for(const Access& a : stores)
        for(uint64_t p = a.address / piece; p <= (a.address + a.bytes - 1) / piece; ++p)
            if(pieces_.insert(p).second)
                stored.different += piece;
}

/// A program's first launch is treated as a repeated one, because benchmarks repeat launches. So is
/// a launch that repeats the previous one: its dies have read the same. After another launch, a die
/// finds only the part of the data that this die has read.
void Recorder::note_launch_before()
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    static std::pair<std::string, std::map<uint64_t, uint32_t>> before;
    const std::string name = launch_.kernel + " " + std::to_string(launch_.workgroups);
    const bool again =
        before.first.empty() || (before.first == name && before.second == source_index_);
    const double dies = std::min(machine_.dies, static_cast<double>(launch_.workgroups));
    for(const auto& [address, source] : source_index_)
        if(!again)
            sources_[source].before = before.second.count(address) ? 1 / dies : 0;
    before = {name, source_index_};
}

/// What a workgroup touches of each allocation on the average, and what neighbours do together.
void Recorder::find_footprints()
{
    const auto add = [&](const WorkgroupTrace& group, std::set<std::pair<uint32_t, uint64_t>>& to) {
        for(const WaveTrace& wave : group.waves)
            for(const Line& line : wave.lines)
                to.insert({line.source, line.number});
    };
    std::set<std::pair<uint32_t, uint64_t>> together;
    std::vector<double> alone(sources_.size()), of_all(sources_.size());
    for(std::size_t t = 0; t < traces_.size(); ++t)
    {
        std::set<std::pair<uint32_t, uint64_t>> lines;
        add(traces_[t], lines);
        if(t < sampled_)
            for(const auto& [source, number] : lines)
                sources_[source].touched += machine_.l1_line / static_cast<double>(sampled_);
        if(t == sampled_ / 2 || t >= sampled_) // neighbours
        {
            together.insert(lines.begin(), lines.end());
            for(const auto& [source, number] : lines)
                ++alone[source];
        }
    }
    for(const auto& [source, number] : together)
        ++of_all[source];
    for(std::size_t s = 0; s < sources_.size(); ++s)
        if(of_all[s] > 0 && neighbours_.size() > 1)
        {
            const double count = static_cast<double>(neighbours_.size());
            sources_[s].growth =
                std::log(std::max(1., of_all[s] * count / alone[s])) / std::log(count);
        }
    for(const auto& [source, s] : stored_)
        sources_[source].written = std::min(1., s.different / s.moved);
    note_launch_before();
    traces_.resize(sampled_);
    double most = 0, operations = 0;
    for(const auto& [address, n] : atomics_)
    {
        operations += n;
        most = std::max(most, n);
    }
    if(!atomics_.empty())
    {
        const double all = static_cast<double>(launch_.workgroups) / static_cast<double>(sampled_);
        const uint32_t where = source_of(atomics_.begin()->first);
        // Either those seen on one address stand for all, or operations are spread evenly.
        launch_.atomics = std::max(
            {most,
             operations * all * 4 / sources_[where].bytes,
             most > operations / static_cast<double>(atomics_.size()) * 2 ? most * all : 0});
    }
}

void Recorder::report()
{
    find_footprints();
    const Prediction p = predict(machine_, launch_, program_, traces_, sources_);
    microseconds       = microseconds + p.microseconds; // launches of one stream follow each other
    static std::mutex mutex;                            // host threads launch at a time
    const std::lock_guard lock(mutex);
    struct Described // a launch that was described, or its repetition of another time
    {
        std::size_t number;
        std::string time;
    };
    static std::map<std::tuple<std::string, uint64_t, int, int>, Described> all;
    static std::size_t number = 0;
    if(++number == 1)
        fputs(caption().c_str(), stderr);
    const Footprint& f = launch_.footprint;
    Described& before  = all[{launch_.kernel, launch_.workgroups, f.threads, f.lds}];
    if(before.time.empty())
        fputs(in_words(machine_, launch_, number, traces_.size(), p).c_str(), stderr);
    else if(before.time != time_in_words(p))
        fputs(again_in_words(number, before.number, p).c_str(), stderr);
    before = {before.time.empty() ? number : before.number, time_in_words(p)};
}

} // namespace emu::timing
