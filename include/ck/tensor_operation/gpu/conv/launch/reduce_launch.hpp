#pragma once
// Launches that add up partial sums.
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/reduce_partial_sums.hpp"
#include "ck/tensor_operation/gpu/grid/reduce_tiles.hpp"

namespace ck::tensor_operation::device {

/// Adds up the partial sums of `rows` x `columns` elements in each of `groups` groups. Completes
/// the parameters: divides the partial sums among threads.
template <class Sum>
void add_reduce(LaunchList& list,
                typename Sum::Params s,
                long_index_t rows,
                index_t columns,
                long_index_t groups)
{
    s.columns                   = columns;
    s.runs_of_row               = make_divisor(Sum::runs_of_row(columns));
    const index_t compute_units = compute_unit_count();
    s.sharers                   = grid::most_sharers(
        groups * rows * s.runs_of_row.value, s.partial_count, compute_units, Sum::block_size);
    s.runs            = make_divisor(Sum::block_size / s.sharers);
    const auto blocks = static_cast<index_t>(Sum::blocks_of_group(rows, columns, s.sharers));
    s.blocks_of_group = make_divisor(blocks);
    list.add<Sum>(static_cast<index_t>(blocks * groups), s);
}

/// Adds up the partial sums of `split`, which are stored tile by tile. Completes the parameters
/// that follow from the tuning, the partial sums and their addresses.
template <class Sum>
void add_reduce(LaunchList& list,
                typename Sum::Params s,
                const GemmTuning& t,
                const grid::SplitTiles& split)
{
    s.tap_channels = make_divisor(s.channels.value * s.merged.value);
    s.partial_size = t.block_tile.m * t.block_tile.n;
    s.runs_of_row  = make_divisor(t.block_tile.n / Sum::vector);
    s.cluster      = make_divisor(t.maps.cluster);
    s.partial_rows = t.block_tile.m;
    s.tile_rows    = t.block_tile.m * t.maps.cluster;
    s.tile_columns = t.block_tile.n;
    s.column_tiles =
        make_divisor(math::integer_divide_ceil(s.columns * s.merged.value, s.tile_columns));
    s.row_tiles =
        make_divisor(math::integer_divide_ceil(s.rows.value * s.merged.value, s.tile_rows));
    const index_t runs = s.partial_size / Sum::vector;
    index_t blocks     = 0;
    for(int i = 0; i < 2; ++i)
    {
        const grid::SplitTiles::Kind& from = split.kind[1 - i];
        const bool has_partial_sums        = from.size() > 0 && from.first_number >= split.whole;
        const index_t partial_sums = has_partial_sums ? from.tiles.value * t.maps.cluster : 0;
        const index_t sharers      = grid::most_sharers(long_index_t{partial_sums} * runs,
                                                   from.partial_sums,
                                                   compute_unit_count(),
                                                   Sum::block_size);
        typename Sum::Kind& to     = s.kind[i];
        to.first_block             = blocks;
        to.first_tile              = from.first_tile;
        to.first_partial           = from.first_partial;
        to.partial_sums            = from.partial_sums;
        to.sharers                 = sharers;
        to.step                    = long_index_t{sharers} * t.maps.cluster * s.partial_size;
        to.runs                    = make_divisor(Sum::block_size / sharers);
        to.blocks_of_partial       = make_divisor(math::integer_divide_ceil(runs, to.runs.value));
        blocks += partial_sums * to.blocks_of_partial.value;
    }
    list.add<Sum>(blocks, s);
}

} // namespace ck::tensor_operation::device
