#pragma once
// How unequal the work of workgroups is that take the tiles of several phases in turns.
#include "ck/tensor_operation/gpu/grid/phase_order.hpp"
#include "ck/tensor_operation/operator_transform/rotated_phase.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ck::tensor_operation::device {

/// A phase with tiles: filter taps of its sums, and rows.
struct PhaseSums
{
    index_t taps;
    long_index_t rows; ///< of all images
};

/// The taps that the workgroup with the most has in all of its tiles, over those of a tile on
/// average: how many average tiles it has. Tiles have `tile_rows` rows; `phases` are in the order
/// of the launch, at least one of which has taps. Looks at each tile once.
inline double longest_share(const grid::TileMap& tiles,
                            const grid::PhaseOrder& order,
                            std::span<const PhaseSums> phases,
                            index_t tile_rows,
                            index_t workgroups)
{
    std::vector<long_index_t> taps(static_cast<std::size_t>(workgroups));
    for(index_t number = 0; number < order.size; ++number)
    {
        const grid::TileMap::Tile tile = order(tiles, number);
        if(tile.phase_index >= tiles.phases.value)
            continue;
        const index_t at   = order.is_balanced()
                                 ? tile.phase_index
                                 : rotated_phase(tile.phase_index, tile.row_tile, tiles.phases);
        const PhaseSums& c = phases[static_cast<std::size_t>(at)];
        if(long_index_t{tile.row_tile} * tile_rows < c.rows)
            taps[static_cast<std::size_t>(number % workgroups)] += c.taps;
    }
    const auto all = std::accumulate(phases.begin(),
                                     phases.end(),
                                     long_index_t{0},
                                     [](auto sum, const PhaseSums& c) { return sum + c.taps; });
    return static_cast<double>(*std::max_element(taps.begin(), taps.end())) *
           static_cast<double>(phases.size()) / static_cast<double>(all);
}

} // namespace ck::tensor_operation::device
