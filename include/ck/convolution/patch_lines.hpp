#pragma once
// Patches: filters that step by their own width over rows of packed pixels, as the first layer of a
// vision transformer. The pixels that a window has of a row lie in one piece; seen as the channels
// of one wide pixel, they are loaded in long vectors, however few channels a pixel has.
#include "ck/convolution/problem.hpp"

namespace ck {

/// The same convolution with X * C channels and filters of width 1 where `p` is one of patches, its
/// pixels along W and the filter's taps along X are packed with the channels, and no pad is along
/// W; else `p`. Nor where a pixel's channels fill vectors of eight already: kernels are chosen by
/// what was measured of these. Elements stay where they are. all_input: also only where each
/// element of the input is in a window.
constexpr ConvProblem patch_lines(const ConvProblem& p, bool all_input)
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
