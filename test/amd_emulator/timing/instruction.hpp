// An instruction as the timing model sees it: which unit it takes for how long, and what it reads,
// writes and waits for.
#pragma once
#include "machine.hpp"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace emu::timing {

/// Who executes an instruction. At most one instruction of each of the first six goes from a SIMD
/// in a turn.
enum class Unit : std::uint8_t
{
    vector, ///< vector ALU; matrix instructions go through its slot, too
    scalar, ///< scalar ALU and scalar loads
    memory, ///< global, buffer, flat and scratch instructions
    lds,
    branch,
    message, ///< end of the wave and what is sent elsewhere
    wait,    ///< s_waitcnt and relatives: nothing but waits
    barrier_signal,
    barrier_wait,
    barrier, ///< signal and wait
    idle,    ///< s_nop: turns without an instruction
    hint     ///< takes no time: s_clause, s_delay_alu, s_setprio
};

/// Counters of instructions under way. gfx9: vmcnt is `load`, lgkmcnt `lds`; gfx11 has vscnt,
/// `store`, as well; gfx12 has kmcnt, `scalar`, too.
enum Counter : std::uint8_t
{
    load,
    store,
    lds,
    scalar,
    counters
};

constexpr int no_limit = 1 << 20;

/// Registers by number: vector ones from 0, accumulation from 256, scalar from 512, exec and
/// relatives behind.
struct Registers
{
    std::uint16_t first = 0;
    std::uint16_t count = 0;
};

constexpr int register_count = 700;

struct Instruction
{
    std::string text;
    Unit unit   = Unit::hint;
    bool matrix = false;
    std::vector<Registers> read, written;
    Registers accumulated; ///< the operand C of a matrix instruction
    int cycles       = 0;  ///< cycles that occupy its unit; memory, LDS: from addresses
    int latency      = 0;  ///< cycles from issue until a result can be read
    bool counts      = false;
    Counter counter  = load; ///< counter of the instruction, if any
    bool scalar_load = false;
    bool is_store    = false;
    bool is_atomic   = false;
    std::array<int, counters> at_most{
        no_limit, no_limit, no_limit, no_limit}; ///< waits until at most these are under way
    int turns    = 0;                            ///< turns of an idle instruction
    int priority = -1;                           ///< priority that s_setprio sets
};

/// Reads one line as LLVM's disassembler prints it. Throws std::invalid_argument for a matrix
/// instruction without a time.
Instruction parse_instruction(const Machine& machine, const std::string& text, int wave_size);

} // namespace emu::timing
