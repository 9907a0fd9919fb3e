// Reports registers that are used while their load is outstanding (a missing s_waitcnt), and
// barriers that are reached with LDS writes outstanding. Loads are done at once here, so nothing
// else shows it. Follows counters whose operations are done in order; stores are not followed,
// loads to LDS by lds_races.cpp.
#include "observer.hpp"
#include "target.hpp"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace emu {

namespace {

enum Counter : uint8_t
{
    vm, // gfx12: loads
    lgkm,
    ds, // gfx12: of its own, and so is
    km,
    counters,
    none = 255
};

struct Outstanding
{
    Counter counter = none;
    uint32_t number = 0; // number among the counter's operations, from 1
};

/// What one wave waits for.
struct Pending
{
    uint32_t issued[counters] = {0}, done[counters] = {0};
    Outstanding vector[vector_registers], scalar[scalar_registers];
    uint32_t last_lds_write = 0;

    void done_up_to(Counter counter, uint32_t outstanding)
    {
        if(issued[counter] > outstanding)
            done[counter] = std::max(done[counter], issued[counter] - outstanding);
    }
    Outstanding* of(Kind kind, int reg)
    {
        if(kind == Kind::vector && reg < vector_registers)
            return &vector[reg];
        return kind == Kind::scalar && reg < scalar_registers ? &scalar[reg] : nullptr;
    }
};

/// Which counter a memory instruction that returns something, or gfx9's store, counts.
Counter counter_of(const Instruction& inst)
{
    const std::string_view m  = inst.mnemonic;
    const bool gfx12_or_later = target.generation >= gfx12;
    if(m.starts_with("s_load") || m.starts_with("s_buffer_load"))
        return gfx12_or_later ? km : lgkm;
    if(m.starts_with("ds_") && m != "ds_nop")
        return gfx12_or_later ? ds : lgkm;
    for(const std::string_view space : {"global_", "buffer_", "scratch_", "flat_"})
    {
        if(!m.starts_with(space))
            continue;
        const std::string_view operation = m.substr(space.size());
        if(operation.starts_with("load") || (operation.starts_with("atomic") && inst.ret))
            return vm;
        if(target.generation == gfx9 &&
           (operation.starts_with("store") || operation.starts_with("atomic")))
            return vm;
    }
    return none;
}

/// The number of vmcnt(3) in an instruction's text.
uint32_t count_in(const char* text, const char* name)
{
    const char* at = strstr(text, name);
    if(at == nullptr)
        return 1u << 30; // does not wait
    at += strlen(name);
    return static_cast<uint32_t>(strtol(*at == '(' ? at + 1 : at, nullptr, 0));
}

thread_local const std::vector<Pending>* watched = nullptr; // operations of the workgroup's waves

class WaitCounts : public Observer
{
    std::vector<Pending> waves_;

    void begin(const Workgroup& wg) override
    {
        waves_.assign(wg.waves.size(), Pending());
        watched = &waves_;
    }
    void end(const Workgroup&) override { watched = nullptr; }

    void issue(const Wave& w, const Instruction& inst) override
    {
        Pending& pending         = waves_[w.id];
        const std::string_view m = inst.mnemonic;
        if(m.starts_with("s_wait"))
        {
            wait(pending, inst);
            return;
        }
        const Counter counter = counter_of(inst);
        for(const Operand& source : inst.src)
            check(w, inst, pending, source, source.n, "source");
        for(const Instruction* half : {inst.x, inst.y})
            if(half != nullptr)
            {
                for(int i = 0; i < half->n_src; ++i)
                    check(w, inst, pending, half->src[i], half->src[i].n, "source");
                check(w, inst, pending, half->dst[0], 1, "destination");
            }
        if(counter == none)
            for(int i = 0; i < inst.n_dst; ++i)
                check(w, inst, pending, inst.dst[i], inst.dst[i].n, "destination");
        const Counter lds = target.generation >= gfx12 ? ds : lgkm;
        if(m.starts_with("s_barrier") && m != "s_barrier_wait" &&
           pending.last_lds_write > pending.done[lds])
            warn_once(w, inst, "missing wait: barrier reached with outstanding LDS writes");
        if(counter != none)
            count(pending, inst, counter);
    }

    static void wait(Pending& pending, const Instruction& inst)
    {
        const std::string_view m = inst.mnemonic;
        const uint32_t number    = static_cast<uint16_t>(inst.simm16);
        if(m == "s_waitcnt")
        {
            pending.done_up_to(vm, count_in(inst.text, "vmcnt"));
            pending.done_up_to(lgkm, count_in(inst.text, "lgkmcnt"));
            const char* const operand = inst.text + strlen("s_waitcnt ");
            if(isdigit(static_cast<unsigned char>(*operand)) && strtol(operand, nullptr, 0) == 0)
                for(const Counter counter : {vm, lgkm})
                    pending.done_up_to(counter, 0);
        }
        else if(m == "s_wait_loadcnt")
            pending.done_up_to(vm, number);
        else if(m == "s_wait_dscnt")
            pending.done_up_to(ds, number);
        else if(m == "s_wait_kmcnt")
            pending.done_up_to(km, number);
        else if(m == "s_wait_loadcnt_dscnt")
        {
            pending.done_up_to(vm, number >> 8 & 0x3f);
            pending.done_up_to(ds, number & 0x3f);
        }
        else if(m == "s_wait_storecnt_dscnt")
            pending.done_up_to(ds, number & 0x3f);
    }

    /// Warns once for a load: the register is then as good as loaded.
    static void check(const Wave& w,
                      const Instruction& inst,
                      Pending& pending,
                      const Operand& o,
                      int registers,
                      const char* what)
    {
        for(int i = 0; i < registers; ++i)
        {
            Outstanding* const of = pending.of(o.kind, o.reg + i);
            if(of == nullptr || of->counter == none)
                continue;
            if(of->number > pending.done[of->counter])
                warn_once(w,
                          inst,
                          std::string("missing wait: ") + what +
                              " register with an outstanding load");
            of->counter = none;
        }
    }

    static void count(Pending& pending, const Instruction& inst, Counter counter)
    {
        const uint32_t number    = ++pending.issued[counter];
        const std::string_view m = inst.mnemonic;
        if(m.starts_with("ds_") && inst.n_dst == 0)
            pending.last_lds_write = number;
        for(int i = 0; inst.n_dst > 0 && i < std::max<int>(1, inst.dst[0].n); ++i)
            if(Outstanding* const of = pending.of(inst.dst[0].kind, inst.dst[0].reg + i))
                *of = {counter, number};
    }
};

} // namespace

uint32_t memory_operations(const Wave& wave)
{
    return watched == nullptr ? 0 : (*watched)[wave.id].issued[vm];
}

bool has_waited_for(unsigned wave, uint32_t number)
{
    return watched == nullptr || (*watched)[wave].done[vm] >= number;
}

std::unique_ptr<Observer> make_wait_counts() { return std::make_unique<WaitCounts>(); }

} // namespace emu
