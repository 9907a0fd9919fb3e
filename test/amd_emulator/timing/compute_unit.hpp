// Replays traces of workgroups on one compute unit, turn by turn, and says where the time went.
#pragma once
#include "trace.hpp"
#include "vector_memory.hpp"
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace emu::timing {

/// What a wave did or waited for in a turn.
enum class Activity : std::uint8_t
{
    executing, ///< it issued an instruction, or its last one is not through (branches, s_nop)
    memory,    ///< waits for loads and stores of memory, or for a place in front of the vector L1
    lds,       ///< waits for LDS, or for a place in front of it
    matrix,    ///< waits for a product, or for the matrix unit
    barrier,   ///< waits for other waves
    issue,     ///< another wave was served, or a result of the ALUs is not there yet
    count
};

/// What is around the unit, for one launch.
struct Surroundings
{
    int resident     = 1;           ///< workgroups on the unit at a time
    int active_units = 1;           ///< share the chip's L2 and memory
    double clock_mhz = 0;           ///< 0: the machine's
    std::span<const Beyond> beyond; ///< index: source
    std::span<const char>
        own; ///< index: source; a workgroup that stands for another one has other lines
};

struct Replay
{
    double cycles = 0;
    std::array<double, static_cast<int>(Activity::count)> wave_cycles{}; ///< sums over waves
    double matrix_cycles = 0; ///< cycles in which matrix units were busy, summed
    double vector_cycles = 0; ///< cycles in which vector ALUs were busy
    double lds_cycles    = 0;
    double lds_conflicts = 0;
    double l1_lines      = 0;
    std::vector<double> l1_misses; ///< lines, by source
    double l2_bytes = 0, last_level_bytes = 0, memory_bytes = 0;
};

/// Runs the workgroups in order, `surroundings.resident` of them at a time. Throws
/// std::runtime_error if waves wait for each other for ever.
Replay replay(const Machine& machine,
              std::span<const Instruction> instructions,
              std::span<const WorkgroupTrace* const> workgroups,
              const Surroundings& surroundings);

} // namespace emu::timing
