// What waves of a kernel executed, in the order in which each of them did: the input of the timing
// model.
#pragma once
#include "instruction.hpp"
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace emu::timing {

/// Bytes that one lane of an instruction touched.
struct Access
{
    int lane;
    std::uint64_t address;
    std::uint32_t bytes;
};

/// A line of the vector L1. `source` says which allocation it lies in.
struct Line
{
    std::uint64_t number; ///< address / l1_line
    std::uint32_t source;
};

/// One executed instruction.
struct Step
{
    std::uint32_t instruction;    ///< index in Kernel::instructions
    std::uint32_t first_line = 0; ///< index in WaveTrace::lines
    std::uint16_t lines      = 0;
    std::uint16_t cycles     = 0; ///< cycles of the LDS or of the address unit
    std::uint16_t conflicts  = 0; ///< part of these: cycles that bank conflicts add
    std::uint16_t lds_cycles = 0; ///< LDS cycles of a load from memory to LDS
    std::uint16_t atomics    = 0; ///< operations on its most wanted address
};

struct WaveTrace
{
    std::vector<Step> steps;
    std::vector<Line> lines;
};

struct WorkgroupTrace
{
    std::vector<WaveTrace> waves;
};

/// Cycles of the LDS for the accesses of an instruction.
struct LdsTime
{
    int cycles    = 0;
    int conflicts = 0; ///< part of these: cycles that bank conflicts add
};

/// Lanes go in phases that fill the banks: 32 lanes of four bytes, 16 of eight, 8 of sixteen; a
/// phase takes as many cycles as the fullest bank has different words. A lane's second access
/// (ds_read2) is a second pass.
LdsTime lds_time(const Machine& machine, std::span<const Access> accesses, bool write);

/// Adds a vector memory instruction: its lines, and the cycles of the address unit and of L1, which
/// takes pieces of 64 bytes, those of 16 lanes together, and moves each lane's bytes at its rate.
void add_memory_step(const Machine& machine,
                     WaveTrace& wave,
                     std::uint32_t instruction,
                     std::span<const Access> accesses,
                     int wave_size,
                     const std::function<std::uint32_t(std::uint64_t address)>& source_of);

} // namespace emu::timing
