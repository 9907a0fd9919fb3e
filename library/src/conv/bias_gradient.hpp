#pragma once
// The gradient of a bias: dY summed over all axes except channels.
#include "ck/conv.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/stream_config.hpp"

namespace ck {
struct LaunchList;
}

namespace ck::conv {

struct BiasGradient
{
    DataType in, out;          ///< types of dY and of the sums
    TensorLengths lengths;     ///< lengths of dY: g, n, k, d, h, w
    TensorStrides strides;     ///< strides of dY
    index_t partial_sums  = 1; ///< number of partial sums, which are added afterwards
    index_t channel_lanes = 1; ///< see GridwiseChannelSums
    std::size_t workspace = 0; ///< bytes for the partial sums

    /// Throws Refused if there is no kernel for the types.
    static BiasGradient
    make(DataType in, DataType out, const TensorLengths& lengths, const TensorStrides& strides);

    /// The number of sums, G * K; they are contiguous.
    std::size_t channels() const { return static_cast<std::size_t>(lengths[0] * lengths[2]); }

    /// Adds its two launches.
    void add(LaunchList& list, const void* dy, void* sums, void* workspace) const;
    /// Launches both.
    void run(const void* dy, void* sums, void* workspace, const StreamConfig& config) const;
};

} // namespace ck::conv
