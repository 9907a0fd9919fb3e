#pragma once
// The load imbalance of workgroups that take the tiles of several phases in turn.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/phase_order.hpp"
#include "ck/tensor_operation/operator_transform/rotated_phase.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ck::tensor_operation::device {

/// A phase with tiles: the filter taps of its sums, and its rows.
struct PhaseSums
{
    index_t taps;
    long_index_t rows; ///< rows of all images
};

/// The taps that the workgroup with the most has in all of its tiles, over those of a tile on
/// average: how many average tiles it has. Tiles have `tile_rows` rows. `phases` are in launch
/// order; at least one must have taps. A balanced order has one group, one sub-batch, and as many
/// workgroups. The function looks at each tile once, in the order of neighbouring columns, and
/// divides nothing.
inline double longest_share(const grid::TileMap& tiles,
                            const grid::PhaseOrder& order,
                            std::span<const PhaseSums> phases,
                            index_t tile_rows,
                            index_t workgroups)
{
    std::vector<long_index_t> taps(static_cast<std::size_t>(workgroups));
    const bool balanced = order.is_balanced();
    std::size_t taker   = 0; // workgroup that takes the next tile
    bool back           = false;
    const auto take     = [&](index_t phase, index_t row_tile) {
        const PhaseSums& c       = phases[static_cast<std::size_t>(phase)];
        const long_index_t added = long_index_t{row_tile} * tile_rows < c.rows ? c.taps : 0;
        for(index_t column = 0; column < tiles.column_tiles.value; ++column)
        {
            taps[taker] += added;
            const bool is_last = back ? taker == 0 : taker + 1 == taps.size();
            if(is_last && balanced)
                back = !back; // turns are taken in the opposite order
            else
                taker = is_last ? 0 : back ? taker - 1 : taker + 1;
        }
    };
    if(balanced)
        for(index_t phase = 0; phase < tiles.phases.value; ++phase)
            for(index_t row_tile = 0; row_tile < tiles.row_tiles.value; ++row_tile)
                take(phase, row_tile);
    else
        for(index_t part = 0; part < tiles.groups.value * tiles.sub_batches; ++part)
            for(index_t row_tile = 0; row_tile < tiles.row_tiles.value; ++row_tile)
                for(index_t phase = 0; phase < tiles.phases.value; ++phase)
                    take(rotated_phase(phase, row_tile, tiles.phases), row_tile);
    const auto all = std::accumulate(phases.begin(),
                                     phases.end(),
                                     long_index_t{0},
                                     [](auto sum, const PhaseSums& c) { return sum + c.taps; });
    return static_cast<double>(*std::max_element(taps.begin(), taps.end())) *
           static_cast<double>(phases.size()) / static_cast<double>(all);
}

} // namespace ck::tensor_operation::device
