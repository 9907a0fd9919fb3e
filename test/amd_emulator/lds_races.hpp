// Finds LDS dwords that two waves touch between the same two barriers, one of them writing; and,
// with the observer of wait counts, those that are touched while a load to them is outstanding.
#pragma once

#include "wave.hpp"
#include <cstdint>

namespace emu {

enum class Access
{
    read,
    write,
    atomic
};

/// Watches the LDS of the workgroups that this thread runs, and forgets what was before;
/// lds_races_workgroup() is to be called at the begin of each, lds_races_barrier() at each barrier.
void start_lds_races(uint32_t bytes);
void lds_races_workgroup();
void lds_races_barrier();
/// `address` and `bytes` are inside the workgroup's LDS.
void check_lds_race(
    const Wave& w, const Instruction& inst, uint32_t address, uint32_t bytes, Access access);

} // namespace emu
