#pragma once
// How unequal the work of workgroups is that take the tiles of several residue classes in turns.
#include "ck/tensor_operation/gpu/grid/class_order.hpp"
#include "ck/tensor_operation/operator_transform/rotated_class.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ck::tensor_operation::device {

/// A residue class with tiles: filter taps of its sums, and rows.
struct ClassSums
{
    index_t taps;
    long_index_t rows; ///< of all images
};

/// The taps that the workgroup with the most has in all of its tiles, over those of a tile on
/// average: how many average tiles it has. Tiles have `tile_rows` rows; `classes` are in the order
/// of the launch, at least one of which has taps. Looks at each tile once.
inline double longest_share(const grid::TileMap& tiles,
                            const grid::ClassOrder& order,
                            std::span<const ClassSums> classes,
                            index_t tile_rows,
                            index_t workgroups)
{
    std::vector<long_index_t> taps(static_cast<std::size_t>(workgroups));
    for(index_t number = 0; number < order.size; ++number)
    {
        const grid::TileMap::Tile tile = order(tiles, number);
        if(tile.class_index >= tiles.classes.value)
            continue;
        const index_t at   = order.is_balanced()
                                 ? tile.class_index
                                 : rotated_class(tile.class_index, tile.row_tile, tiles.classes);
        const ClassSums& c = classes[static_cast<std::size_t>(at)];
        if(long_index_t{tile.row_tile} * tile_rows < c.rows)
            taps[static_cast<std::size_t>(number % workgroups)] += c.taps;
    }
    const auto all = std::accumulate(classes.begin(),
                                     classes.end(),
                                     long_index_t{0},
                                     [](auto sum, const ClassSums& c) { return sum + c.taps; });
    return static_cast<double>(*std::max_element(taps.begin(), taps.end())) *
           static_cast<double>(classes.size()) / static_cast<double>(all);
}

} // namespace ck::tensor_operation::device
