#pragma once
// The launch that adds up the parts of sums.
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/sum_parts.hpp"
#include "ck/tensor_operation/gpu/grid/sum_tiles.hpp"

namespace ck::tensor_operation::device {

/// Adds up the parts of `rows` rows of `columns` in each of `groups` groups. Completes the
/// parameters: shares the parts among threads. Returns milliseconds if the configuration asks for
/// time, else 0.
template <class Sum>
float launch_sum(typename Sum::Params s,
                 long_index_t rows,
                 index_t columns,
                 long_index_t groups,
                 const StreamConfig& config)
{
    s.columns           = columns;
    s.runs_of_row       = make_divisor(Sum::runs_of_row(columns));
    const index_t units = compute_unit_count();
    s.sharers           = grid::most_sharers(
        groups * rows * s.runs_of_row.value, s.part_count, units, Sum::block_size);
    s.runs            = make_divisor(Sum::block_size / s.sharers);
    const auto blocks = static_cast<index_t>(Sum::blocks_of_group(rows, columns, s.sharers));
    s.blocks_of_group = make_divisor(blocks);
    return launch_and_time_kernel<Sum>(config, static_cast<index_t>(blocks * groups), s);
}

/// Adds up the parts of `split`, which lie tile by tile. Completes the parameters: what follows
/// from the tuning, the parts and their places. Returns milliseconds as above.
template <class Sum>
float launch_sum(typename Sum::Params s,
                 const GemmTuning& t,
                 const grid::SplitTiles& split,
                 const StreamConfig& config)
{
    s.tap_channels = make_divisor(s.channels.value * s.merged.value);
    s.part_size    = t.block_tile.m * t.block_tile.n;
    s.runs_of_row  = make_divisor(t.block_tile.n / Sum::vector);
    s.cluster      = make_divisor(t.cluster);
    s.part_rows    = t.block_tile.m;
    s.tile_rows    = t.block_tile.m * t.cluster;
    s.tile_columns = t.block_tile.n;
    s.column_tiles =
        make_divisor(math::integer_divide_ceil(s.columns * s.merged.value, s.tile_columns));
    const index_t runs = s.part_size / Sum::vector;
    index_t blocks     = 0;
    for(int i = 0; i < 2; ++i)
    {
        const grid::SplitTiles::Kind& from = split.kind[1 - i];
        const bool in_parts                = from.size() > 0 && from.first_number >= split.whole;
        const index_t parts                = in_parts ? from.tiles.value * t.cluster : 0;
        const index_t sharers              = grid::most_sharers(
            long_index_t{parts} * runs, from.parts, compute_unit_count(), Sum::block_size);
        typename Sum::Kind& to = s.kind[i];
        to.first_block         = blocks;
        to.first_tile          = from.first_tile;
        to.first_part          = from.first_part;
        to.parts               = from.parts;
        to.sharers             = sharers;
        to.step                = long_index_t{sharers} * t.cluster * s.part_size;
        to.runs                = make_divisor(Sum::block_size / sharers);
        to.blocks_of_part      = make_divisor(math::integer_divide_ceil(runs, to.runs.value));
        blocks += parts * to.blocks_of_part.value;
    }
    return launch_and_time_kernel<Sum>(config, blocks, s);
}

} // namespace ck::tensor_operation::device
