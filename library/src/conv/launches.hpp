#pragma once
// The launches of a plan: their parameters, made once, and which of these are addresses.
#include "ck/host_utility/launch_list.hpp"

#include "conv/resolve.hpp"

namespace ck::conv {

using Addresses = std::array<std::uintptr_t, slot_count>;

/// An address among the parameters of a launch.
struct SlotAddress
{
    std::size_t byte; ///< of the parameters
    Slot slot;
    std::uintptr_t offset; ///< from the tensor's first element
};

struct PlannedLaunch
{
    ListedLaunch launch;
    std::vector<SlotAddress> addresses;
};

/// What a run consists of.
struct Work
{
    const ConvKernel* kernel     = nullptr;
    index_t split_k              = -1;
    std::size_t kernel_workspace = 0; ///< bytes; the bias gradient's follows, at a multiple of 16

    std::size_t bias_gradient_at() const { return (kernel_workspace + 15) / 16 * 16; }
};

/// The launches at these addresses.
LaunchList launches_of(const Work& work, const Resolved& resolved, const Addresses& at);

/// Addresses that stand for memory, one in each slot that is used: far apart, and odd multiples of
/// `alignment`, the workspace's of at least 16. What kernels do there is right at all multiples.
Addresses slot_addresses(const Resolved& resolved, std::size_t alignment, bool has_workspace);

/// The launches, whose addresses are those of slot_addresses(), and offsets from them.
std::vector<PlannedLaunch> in_slots(LaunchList list, const Addresses& at);

/// Copies the launch's parameters, with the addresses of a run.
void copy_params(const PlannedLaunch& launch, const Addresses& at, std::byte* params);

/// Makes the launch at the addresses of a run.
hipError_t launch(const PlannedLaunch& launch, const Addresses& at, hipStream_t stream);

} // namespace ck::conv
