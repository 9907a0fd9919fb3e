// The state of a wave and of a workgroup, and what stops or warns about them.
#pragma once

#include "instruction.hpp"
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace emu {

struct Code;
struct Kernel;
struct Workgroup;

/// Upper halves of flat addresses that mean LDS and scratch.
constexpr uint32_t shared_aperture = 0x00010000u, private_aperture = 0x00020000u;

enum class RunState : uint8_t
{
    running,
    at_barrier,
    ended,
    yielded
};

constexpr int vector_registers = 512; // VGPRs, then AGPRs
constexpr int spare_register   = 512; // no program sees registers from here on

struct alignas(64) Wave
{
    uint32_t vgpr[vector_registers + 8][64];
    uint32_t sgpr[scalar_registers];
    uint32_t scc              = 0;
    uint64_t pc               = 0;
    Workgroup* wg             = nullptr;
    const Code* code          = nullptr;
    RunState state            = RunState::running;
    bool signalled            = false; // gfx12: the barrier that it does not wait for yet
    uint32_t gpr_index_mode   = 0;     // gfx9: which operands M0 is added to
    uint32_t id               = 0;
    uint8_t* scratch          = nullptr; // dwords of the lanes side by side
    uint32_t scratch_per_lane = 0;
    uint32_t mode             = 0;
    uint64_t instructions_run = 0;
    int W                     = 64; // lanes

    uint64_t sgpr64(int r) const
    {
        uint64_t x;
        std::memcpy(&x, &sgpr[r], 8);
        return x;
    }
    void sgpr64(int r, uint64_t x)
    {
        if(r != reg_null)
            std::memcpy(&sgpr[r], &x, 8);
    }
    /// The mask of active lanes; bits above the wave's lanes are 0.
    uint64_t exec() const { return mask(reg_exec); }
    uint64_t vcc() const { return mask(reg_vcc); }
    uint64_t mask(int r) const { return W == 64 ? sgpr64(r) : sgpr[r]; }
    void set_exec(uint64_t x)
    {
        if(W == 64)
            sgpr64(reg_exec, x);
        else
            sgpr[reg_exec] = static_cast<uint32_t>(x);
    }
};

struct Workgroup
{
    std::vector<uint8_t> lds;
    uint32_t lds_size    = 0; // bytes that the launch asked for
    const Kernel* kernel = nullptr;
    uint32_t id[3]       = {0, 0, 0};
    std::vector<Wave*> waves;
};

/// Says where and why, and ends the program.
[[noreturn]] void fault(const Wave& w,
                        const Instruction& inst,
                        const std::string& why,
                        int lane         = -1,
                        uint64_t address = 0);
/// Says it once for an instruction and a reason (the text before the first colon).
void warn_once(const Wave& w, const Instruction& inst, const std::string& why);

} // namespace emu
