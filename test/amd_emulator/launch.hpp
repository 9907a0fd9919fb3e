// Launches: workgroups on worker threads, waves in turn.
#pragma once

#include "code_object.hpp"
#include "wave.hpp"

namespace emu {

enum class Launched
{
    done,
    empty,   // a launch without threads or blocks
    refused, // more than the kernel or the target has; says why
};
/// Runs all workgroups. `arguments` is the memory of kernel_arguments().
Launched run_kernel(const Kernel& kernel, const LaunchDims& dims, void* arguments);

/// The packet that a kernel may ask for: hsa_kernel_dispatch_packet_t.
struct DispatchPacket
{
    uint16_t header = 0, setup  = 3;
    uint16_t block[3], reserved = 0;
    uint32_t threads[3], scratch_per_lane, lds;
    uint64_t descriptor, arguments, reserved_2 = 0, signal = 0;
};

/// What all waves of a launch begin with.
struct WaveSetup
{
    const Kernel& kernel;
    const LaunchDims& dims;
    const DispatchPacket& packet;
    const void* arguments;
    uint32_t scratch_per_lane; // bytes
    uint32_t poison;           // what registers hold that nothing set
};
/// Wave `index` of a workgroup, at the kernel's first instruction.
void set_up_wave(
    Wave& w, Workgroup& wg, uint32_t index, const WaveSetup& setup, std::vector<uint8_t>& scratch);

} // namespace emu
