#pragma once
// The launches of a plan: their parameters, packed once, and where in them addresses are.
#include "ck/host_utility/launch_record.hpp"

#include "conv/resolve.hpp"

namespace ck::conv {

using Addresses = std::array<std::uintptr_t, slot_count>;

/// An address in the parameters of a launch.
struct AddressPlace
{
    std::size_t byte; ///< of the parameters
    Slot slot;
    std::uintptr_t offset; ///< from the tensor's first element
};

struct PackedLaunch
{
    RecordedLaunch launch;
    std::vector<AddressPlace> places;
};

/// What a run consists of.
struct Work
{
    const ConvKernel* kernel     = nullptr;
    index_t split_k              = -1;
    std::size_t kernel_workspace = 0; ///< bytes; the bias gradient's follows, at a multiple of 16

    std::size_t bias_gradient_at() const { return (kernel_workspace + 15) / 16 * 16; }
};

/// Puts it on the stream, prepared anew.
void run(const Work& work, const Resolved& resolved, const Addresses& at, hipStream_t stream);

/// The launches that run() makes for a resolved spec, if parameters depend on addresses as address
/// + constant alone, at all multiples of `alignment`; none otherwise. It is asked three times with
/// addresses that are multiples of no more, of different residues modulo 8 times that: what changes
/// between the first two is where addresses are, and from that the third must follow. So must
/// addresses that are multiples of more, where the same kernels are launched at them. Nothing is
/// launched.
struct PackedLaunches
{
    bool packed = false;
    std::vector<PackedLaunch> launches;
};
PackedLaunches pack_launches(const Work& work,
                             const Resolved& resolved,
                             std::size_t alignment,
                             bool has_workspace);

/// Addresses that stand for memory, one in each slot that is used; apart from each other, odd
/// multiples of `alignment`, the workspace's of at least 16. round: 0, 1 or 2, others for each, and
/// of other residues modulo 4 and 8 times the alignment.
Addresses
stand_in_addresses(const Resolved& resolved, std::size_t alignment, bool has_workspace, int round);

/// Makes the launch with other addresses.
hipError_t launch(const PackedLaunch& launch, const Addresses& at, hipStream_t stream);

} // namespace ck::conv
