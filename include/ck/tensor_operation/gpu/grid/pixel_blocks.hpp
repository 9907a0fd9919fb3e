#pragma once
// Blocks of adjacent pixels of dX as the channels of one pixel (space to depth). Backward data then
// becomes a forward convolution of dY without strides and phases. Block b of a dimension contains
// the pixels b * block + e. Tap j of the blocks' filter contributes to pixel e of a block with tap
//
//   r = (e + pad - stride * j) / dilation
//
// of the convolution's own filter, if that tap exists.
#include "ck/utility/integer.hpp"

namespace ck::grid {

/// One dimension.
struct BlockedAxis
{
    index_t block  = 1; ///< pixels of dX in a block
    index_t blocks = 1; ///< blocks along the axis in an image
    index_t first  = 0; ///< the least j, of the blocks' filter's first tap
    index_t taps   = 1; ///< taps of the blocks' filter
    index_t stride = 1, dilation = 1, pad = 0, filter = 1; ///< the convolution's
    index_t pixels = 1, outputs = 1;                       ///< pixels of dX, and of dY

    /// The filter's tap for tap `number` of the blocks' filter and pixel e; -1 if there is none.
    CK_HOST_DEVICE constexpr index_t tap(index_t e, index_t number) const
    {
        const index_t reach = e + pad - stride * (first + number);
        if(reach < 0 || reach % dilation != 0)
            return -1;
        return reach / dilation < filter ? reach / dilation : -1;
    }
};

/// The three dimensions D H W, and the channels of dX.
struct PixelBlocks
{
    BlockedAxis axes[3];
    index_t channels = 1; ///< channels of a pixel of dX
    index_t columns  = 1; ///< channels of all pixels of a block, and zeros up to whole vectors

    /// Pixels of a block.
    CK_HOST_DEVICE constexpr index_t pixels() const
    {
        return axes[0].block * axes[1].block * axes[2].block;
    }
};

} // namespace ck::grid
