// How many workgroups of a kernel fit on a compute unit.
#pragma once
#include "machine.hpp"

namespace emu::timing {

/// What a workgroup takes.
struct Footprint
{
    int threads, wave_size;
    int registers; ///< of a lane, with accumulation registers, by the kernel descriptor
                   ///< them out
    int lds;       ///< bytes

    int waves() const { return (threads + wave_size - 1) / wave_size; }
};

struct Occupancy
{
    int waves_a_simd;  ///< waves that registers allow
    int workgroups;    ///< workgroups on a unit at a time; 0 if none fits
    const char* limit; ///< what allows no more: "registers", "LDS" or "barriers"
};

Occupancy occupancy(const Machine& machine, const Footprint& footprint);

} // namespace emu::timing
