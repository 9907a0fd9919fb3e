#pragma once
// Which groups the kernels with channel slices take
// (conv/kernels/channel_slice_geometry/channel_slice.hpp).
#include "ck/convolution/problem.hpp"
#include "ck/convolution/support.hpp"

#include <string>

namespace ck::tensor_operation::device {

/// Whether groups have equal numbers of channels in X and Y, and whole groups fill a channel slice
/// of `channel_slice` channels.
inline Support check_channel_slice_groups(const ConvProblem& p, index_t channel_slice)
{
    if(p.in_channels != p.out_channels)
        return refused([&] {
            return "C is " + std::to_string(p.in_channels) + " and K is " +
                   std::to_string(p.out_channels) +
                   ", but this kernel's groups have as many channels of X as of Y";
        });
    if(p.in_channels == 0 || channel_slice % p.in_channels != 0)
        return refused([&] {
            return "C is " + std::to_string(p.in_channels) +
                   ", but this kernel's channel slices of " + std::to_string(channel_slice) +
                   " channels have whole groups";
        });
    return {};
}

} // namespace ck::tensor_operation::device
