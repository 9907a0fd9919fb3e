#pragma once
// Tensors whose channels are in blocks of 8, 16 or 32: the layouts of accelerators that multiply
// cubes. docs/blocked_layouts.md has pictures.
//
//   NDC1HWC0      [N, D, C1, H, W, C0]             of X, Y and their gradients
//   FRACTAL_Z_3D  [Z, C1, Y, X, Cout padded, C0]   of filters; Cout padded to a multiple of 16
//   NC1HWC0, FRACTAL_Z                             the same with D = 1, Z = 1
//
// C0 = block, C1 = ceil(C / C0); channels from C and filters from Cout on are zeros.
#include "ck/convolution/support.hpp"
#include "ck/utility/integer.hpp"

#include <array>
#include <string>

namespace ck {

/// Where the elements of a tensor with blocks of channels are.
struct BlockedLayout
{
    index_t block;         ///< channels in a block, C0
    long_index_t channels; ///< C
    /// The other dimensions: N, D, H, W or, for filters, Cout, Z, Y, X.
    std::array<long_index_t, 4> lengths;
    long_index_t rows;                   ///< length of dimension 0 in memory: lengths[0], or padded
    std::array<long_index_t, 4> strides; ///< in elements
    long_index_t outer;                  ///< elements from one block of channels to the next

    /// Blocks of channels, C1.
    constexpr long_index_t blocks() const
    {
        return math::integer_divide_ceil(channels, static_cast<long_index_t>(block));
    }

    /// Elements in memory, including padding.
    constexpr long_index_t elements() const
    {
        return blocks() * block * rows * lengths[1] * lengths[2] * lengths[3];
    }

    /// The offset of an element, in elements.
    constexpr long_index_t offset(const std::array<long_index_t, 4>& index, long_index_t c) const
    {
        long_index_t at = c / block * outer + c % block;
        for(std::size_t i = 0; i < 4; ++i)
            at += index[i] * strides[i];
        return at;
    }
};

/// X, Y or a gradient as [N, D, C1, H, W, C0]. Lengths are at least 0.
constexpr BlockedLayout ndc1hwc0(
    long_index_t n, long_index_t c, long_index_t d, long_index_t h, long_index_t w, index_t block)
{
    const long_index_t outer = h * w * block, depth = (c + block - 1) / block * outer;
    return {block, c, {n, d, h, w}, n, {d * depth, depth, w * block, block}, outer};
}

/// Filters as [Z, C1, Y, X, Cout padded to a multiple of 16, C0]. Lengths are at least 0.
constexpr BlockedLayout fractal_z_3d(long_index_t cout,
                                     long_index_t c,
                                     long_index_t z,
                                     long_index_t y,
                                     long_index_t x,
                                     index_t block)
{
    const long_index_t rows = (cout + 15) / 16 * 16, tap = rows * block, outer = y * x * tap;
    return {block,
            c,
            {cout, z, y, x},
            rows,
            {block, (c + block - 1) / block * outer, x * tap, tap},
            outer};
}

/// Whether the numbers are valid.
inline Support check_blocked_layout(const BlockedLayout& t)
{
    if(t.block < 8 || t.block > 128 || t.block % 8 != 0)
        return refused("a block of " + std::to_string(t.block) +
                       " channels is not known: blocks have a multiple of 8, at most 128");
    for(const long_index_t length :
        {t.channels, t.lengths[0], t.lengths[1], t.lengths[2], t.lengths[3]})
        if(length < 0)
            return refused("a length is " + std::to_string(length) + ", but must be at least 0");
    return {};
}

/// Strides of a contiguous tensor of the same elements, in the order of BlockedLayout::lengths.
struct PackedStrides
{
    std::array<long_index_t, 4> outer; ///< N, D, H, W or Cout, Z, Y, X
    long_index_t channel;              ///< stride of the channel, in elements

    /// NCDHW, or KCZYX for filters.
    static constexpr PackedStrides channels_first(const BlockedLayout& t)
    {
        const auto& [n, d, h, w] = t.lengths;
        return {{t.channels * d * h * w, h * w, w, 1}, d * h * w};
    }
    /// NDHWC, or KZYXC for filters.
    static constexpr PackedStrides channels_last(const BlockedLayout& t)
    {
        const auto& [n, d, h, w] = t.lengths;
        return {{t.channels * d * h * w, t.channels * h * w, t.channels * w, t.channels}, 1};
    }
};

} // namespace ck
