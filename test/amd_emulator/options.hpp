// What environment variables ask of a run. Each is a number: 0 off, 1 on.
#pragma once

#include <cstdint>
#include <string>

namespace emu {

enum class Schedule
{
    in_order,
    reversed,
    random // random order; waves are preempted after 1 to 200 instructions
};

struct Options
{
    int threads; // EMU_THREADS: workgroups run in parallel; default: number of CPUs
    bool poison; // EMU_POISON: NaN patterns in fresh registers, LDS, scratch and memory; default on
    bool memory_check; // EMU_MEMCHECK: each address must lie in an allocation; default on
    bool race;         // EMU_RACE: report LDS dwords that waves share without a barrier
    bool wait_counts;  // EMU_WAITCNT: report registers used before their load is done
    bool strict;       // EMU_STRICT: LDS out of range ends the program
    bool replication;  // EMU_WMMA_REPL: gfx11's WMMA operands must be the same in lanes 16 and up;
                       // default on
    bool trace;        // EMU_TRACE: print each instruction of the first wave
    bool profile;      // EMU_PROFILE: print how often each mnemonic ran, at exit
    bool statistics;   // EMU_STATS: print a line for each launch
    bool time;         // EMU_TIME: predict each launch's time from some workgroups; only those run
    std::string chip;  // EMU_CHIP: whose numbers times are predicted with; default: the target's
    int leave_out; // EMU_LEAVE_OUT: the wait or barrier with this index, in the order in which they
                   // are first reached, does nothing; default -1, none
    Schedule schedule; // EMU_SCHED: rev or rand:SEED
    uint64_t seed;
};

/// Read once, when first asked for.
const Options& options();

} // namespace emu
