#pragma once
// Patches: filters whose strides are their own width, on rows of contiguous pixels, as in the first
// layer of a vision transformer. The pixels of a row in a window are contiguous. As channels of one
// wide pixel, they are loaded in long vectors even if a pixel has few channels.
#include "ck/convolution/problem.hpp"

namespace ck {

/// Returns the same convolution with X * C channels and filters of width 1, if `p` is a convolution
/// of patches whose pixels along W and filter taps along X are contiguous with the channels,
/// without padding along W; otherwise `p`. Also returns `p` if a pixel's channels already fill
/// vectors of eight: measurements for kernel selection used those. Elements stay where they are.
/// all_input: additionally requires that each element of the input is in a window.
constexpr ConvProblem fold_width(const ConvProblem& p, bool all_input)
{
    const long_index_t width = p.filter[2], windows = p.output()[2], channels = p.in_channels;
    const auto packed = [&](const TensorStrides& strides) {
        return strides[5] == channels && (channels == 1 || strides[2] == 1);
    };
    if(width < 2 || channels % 8 == 0 || p.stride[2] != width || p.dilation[2] != 1 ||
       p.pad_low[2] != 0 || windows < 1 || windows * width > p.input[2] ||
       (all_input && windows * width != p.input[2]) || !packed(p.input_strides) ||
       !packed(p.filter_strides))
        return p;
    ConvProblem r       = p;
    r.in_channels       = width * channels;
    r.input[2]          = windows;
    r.filter[2]         = 1;
    r.stride[2]         = 1;
    r.pad_high[2]       = 0;
    r.input_strides[2]  = 1;
    r.input_strides[5]  = width * channels;
    r.filter_strides[2] = 1;
    r.filter_strides[5] = width * channels;
    return r;
}

} // namespace ck
