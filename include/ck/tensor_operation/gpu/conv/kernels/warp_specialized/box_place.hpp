#pragma once
// Where the boxes of tensor maps begin: in windows, in halo tiles, in filters.
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

namespace ck::grid {

/// Returns the place of windows' pixels from this one on; tap: what a tap adds.
CK_DEVICE CK_INLINE arch::BoxPlace
box_of_pixels(index_t channel, const PixelWindows::Pixel& pixel, const PixelWindows::Tap& tap = {})
{
    return {channel,
            {pixel.spatial[0], pixel.spatial[1], pixel.spatial[2]},
            pixel.image,
            {tap.offset[0], tap.offset[1], tap.offset[2]}};
}

/// Returns the place of the halo tile that a tile's output pixels read with a tap group.
CK_DEVICE CK_INLINE arch::BoxPlace
box_of_halo_tile(index_t channel, const HaloTiles::Tile& tile, const HaloTiles::TapGroup& tap_group)
{
    arch::BoxPlace at{channel, {}, tile.origin[3], {}};
    for(int i = 0; i < 3; ++i)
        at.spatial[i] = tap_group.first[i] + tile.origin[i];
    return at;
}

/// Returns the place of the filters of C's columns from `column` on at a tap, from channel
/// `channel` of the reduction on. along_k: filters lie along the reduction.
template <bool along_k>
CK_DEVICE CK_INLINE arch::BoxPlace
box_of_filters(index_t column, index_t channel, index_t x, index_t y, index_t z)
{
    return {along_k ? channel : column, {x, y, z}, along_k ? column : channel, {}};
}

} // namespace ck::grid
