#pragma once
// Patches: windows of filters that are as long as their stride, without padding.
#include "ck/convolution/problem.hpp"

namespace ck::tensor_operation::device::instance {

/// Whether windows are side by side along a dimension (d, h or w), and read each pixel once.
constexpr bool are_patches_along(const ConvProblem& p, std::size_t dimension)
{
    return p.stride[dimension] == p.filter[dimension] &&
           (p.dilation[dimension] == 1 || p.filter[dimension] == 1) && p.pad_low[dimension] == 0 &&
           p.pad_high[dimension] == 0 &&
           p.input[dimension] == p.filter[dimension] * p.output()[dimension];
}

/// Whether windows read each pixel once, and are larger than one pixel.
constexpr bool are_patches(const ConvProblem& p)
{
    return are_patches_along(p, 0) && are_patches_along(p, 1) && are_patches_along(p, 2) &&
           p.filter[0] * p.filter[1] * p.filter[2] > 1;
}

} // namespace ck::tensor_operation::device::instance
