#pragma once
// Tensors whose channels are in blocks of C0: [.., C1, .., C0] with C1 = ceil(C / C0). Channel c is
// (c / C0) * outer + (c % C0) * its stride elements from channel 0; all other dimensions have
// ordinary strides.
#include "ck/convolution/blocked_layout.hpp"
#include "ck/convolution/problem.hpp"

namespace ck {

/// The channel blocks of one tensor.
struct ChannelBlocks
{
    long_index_t size  = 0; ///< C0; 0: channels have one stride, and there are no padding lanes
    long_index_t outer = 0; ///< elements from a block to the next

    /// Whether channels are in blocks.
    constexpr explicit operator bool() const { return size > 0; }

    /// The number of channels that memory holds for this many channels of the tensor.
    constexpr long_index_t stored(long_index_t channels) const
    {
        return size > 0 ? math::integer_divide_ceil(channels, size) * size : channels;
    }
};

/// The channel blocks of a convolution's tensors or gradients: C in X and W, K in Y. Padding lanes
/// (from C or K on) are ignored in inputs and written as zeros in results.
struct ConvBlocks
{
    ChannelBlocks input;          ///< blocks of X or dX
    ChannelBlocks filter;         ///< blocks of W or dW
    ChannelBlocks output;         ///< blocks of Y or dY
    long_index_t filter_rows = 0; ///< filters that W has memory for; 0: K

    /// Whether any tensor's channels are in blocks.
    constexpr explicit operator bool() const { return input || filter || output; }
};

/// The memory of a tensor in a blocked layout.
struct BlockedMemory
{
    TensorStrides strides{};   ///< stride of the channel: within a block
    ChannelBlocks blocks;      ///< blocks of channels
    long_index_t rows     = 0; ///< length of n, or of k in filters, that memory holds
    long_index_t elements = 0; ///< number of elements, including padding lanes

    /// The offset, in elements, of element [first, channel, spatial] from the start of its group.
    constexpr long_index_t offset(long_index_t first, long_index_t channel, const Spatial& at) const
    {
        return first * strides[1] + channel / blocks.size * blocks.outer +
               channel % blocks.size * strides[2] + at[0] * strides[3] + at[1] * strides[4] +
               at[2] * strides[5];
    }
};

/// The memory of `groups` tensors, one after another.
constexpr BlockedMemory grouped(const BlockedLayout& t, long_index_t groups)
{
    return {{t.elements(), t.strides[0], 1, t.strides[1], t.strides[2], t.strides[3]},
            {t.block, t.outer},
            t.rows,
            groups * t.elements()};
}

/// Each group in the layout of ndc1hwc0(). lengths: g n c d h w.
constexpr BlockedMemory ndc1hwc0(const TensorLengths& lengths, index_t c0)
{
    const auto [g, n, c, d, h, w] = lengths;
    return grouped(ndc1hwc0(n, c, d, h, w, c0), g);
}

/// Each group in the layout of fractal_z_3d(). lengths: g k c z y x.
constexpr BlockedMemory fractal_z_3d(const TensorLengths& lengths, index_t c0)
{
    const auto [g, k, c, z, y, x] = lengths;
    return grouped(fractal_z_3d(k, c, z, y, x, c0), g);
}

} // namespace ck
