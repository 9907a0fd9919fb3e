#pragma once
// The launches of a plan: their parameters, made once, and the addresses among these.
#include "ck/host_utility/launch_list.hpp"

#include "conv/resolve.hpp"

namespace ck::conv {

using Addresses = std::array<std::uintptr_t, slot_count>;

/// An address among the parameters of a launch.
struct SlotAddress
{
    std::size_t byte; ///< offset in the parameters
    Slot slot;
    std::uintptr_t offset; ///< from the tensor's first element
};

struct PlannedLaunch
{
    ListedLaunch launch;
    std::vector<SlotAddress> addresses;
};

/// The parts of a run.
struct Work
{
    const ConvKernel* kernel     = nullptr;
    index_t split_k              = -1;
    std::size_t kernel_workspace = 0; ///< bytes; the bias gradient's follows, aligned to 16

    std::size_t bias_gradient_at() const { return (kernel_workspace + 15) / 16 * 16; }
};

/// The launches with these addresses.
LaunchList launches_of(const Work& work, const Resolved& resolved, const Addresses& at);

/// Addresses that represent memory, one for each slot in use: far apart, and odd multiples of
/// `alignment`, for the workspace at least 16. A kernel that supports them supports all multiples.
Addresses slot_addresses(const Resolved& resolved, std::size_t alignment, bool has_workspace);

/// The launches, whose addresses become offsets from those of slot_addresses().
std::vector<PlannedLaunch> in_slots(LaunchList list, const Addresses& at);

/// Copies the launch's parameters, with the addresses of a run.
void copy_params(const PlannedLaunch& launch, const Addresses& at, std::byte* params);

/// Starts the launch with the addresses of a run.
hipError_t launch(const PlannedLaunch& launch, const Addresses& at, hipStream_t stream);

} // namespace ck::conv
