#pragma once
// The gradient of a bias: dY summed over all but its channels.
#include "ck/conv.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/stream_config.hpp"

namespace ck {
struct LaunchList;
}

namespace ck::conv {

struct BiasGradient
{
    DataType in, out;          ///< of dY, of the sums
    TensorLengths lengths;     ///< of dY: g, n, k, d, h, w
    TensorStrides strides;     ///< likewise
    index_t partial_sums  = 1; ///< sums of their own, added afterwards
    index_t channel_lanes = 1; ///< see GridwiseChannelSums
    std::size_t workspace = 0; ///< bytes, for the partial sums

    /// Throws Refused for types that there is no kernel for.
    static BiasGradient
    make(DataType in, DataType out, const TensorLengths& lengths, const TensorStrides& strides);

    /// [G * K], packed.
    std::size_t channels() const { return static_cast<std::size_t>(lengths[0] * lengths[2]); }

    /// Adds its two launches.
    void add(LaunchList& list, const void* dy, void* sums, void* workspace) const;
    /// Makes them.
    void run(const void* dy, void* sums, void* workspace, const StreamConfig& config) const;
};

} // namespace ck::conv
