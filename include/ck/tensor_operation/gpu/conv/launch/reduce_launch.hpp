#pragma once
// The partial sums of a launch: how many there are, their bytes in the workspace, and the launch
// that adds them up. A family fills in one of two descriptions, by how its kernel stores them.
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/reduce_partial_sums.hpp"
#include "ck/tensor_operation/gpu/grid/reduce_tiles.hpp"

#include <atomic>
#include <cstdio>
#include <string>

namespace ck::tensor_operation::device {

/// Partial sums of rows of C; see grid::PartialSums.
template <class Partial>
struct PartialRows
{
    index_t rows, columns, groups; ///< C's; with phases, their number instead of the groups'
    index_t count;                 ///< partial sums of each element
    index_t merged = 1;            ///< groups that have rows and columns of their own in one sum

    grid::PartialSums at(void* base) const
    {
        return grid::PartialSums::make(base, rows * merged, columns * merged, groups / merged);
    }
    std::size_t bytes() const
    {
        return sizeof(Partial) * static_cast<std::size_t>(at(nullptr).partial) *
               static_cast<std::size_t>(count);
    }
    /// Whether offsets and block numbers of the partial sums and of their reduction fit.
    template <class Sum>
    Support check() const
    {
        if(const long_index_t sums = at(nullptr).group;
           sums > ck::detail::index_limit / static_cast<long_index_t>(sizeof(Partial)))
            return refused("the rows and columns of a partial are " + std::to_string(sums) +
                           " sums, but 32-bit offsets need less than 2^31 bytes");
        if(const long_index_t blocks = groups * Sum::blocks_of_group(rows, columns, 1);
           blocks > ck::detail::index_limit)
            return refused("adding up takes " + std::to_string(blocks) +
                           " blocks, but a launch has fewer than 2^31");
        return {};
    }
    /// Adds them up. Completes the parameters: divides the partial sums among threads.
    template <class Sum>
    void add(LaunchList& list, typename Sum::Params s, void* base) const
    {
        s.partial_sums    = at(base);
        s.partial_count   = count;
        s.merged          = make_divisor(merged);
        s.columns         = columns;
        s.runs_of_row     = make_divisor(Sum::runs_of_row(columns));
        s.sharers         = grid::most_sharers(long_index_t{groups} * rows * s.runs_of_row.value,
                                       count,
                                       compute_unit_count(),
                                       Sum::block_size);
        s.runs            = make_divisor(Sum::block_size / s.sharers);
        const auto blocks = static_cast<index_t>(Sum::blocks_of_group(rows, columns, s.sharers));
        s.blocks_of_group = make_divisor(blocks);
        list.add<Sum>(blocks * groups, s);
    }
};

/// Partial sums tile by tile; see grid::SplitTiles.
template <class Partial>
struct PartialTiles
{
    const GemmTuning& tuning;
    grid::SplitTiles split;
    index_t rows, columns; ///< rows and columns of C in a group
    index_t merged = 1;    ///< groups that have rows and columns of their own in one sum

    std::size_t bytes() const
    {
        return sizeof(Partial) * static_cast<std::size_t>(split.partial_sums()) *
               static_cast<std::size_t>(tuning.block_tile.m * tuning.block_tile.n *
                                        tuning.maps.cluster);
    }
    /// Offsets and blocks stay small.
    template <class Sum>
    Support check() const
    {
        return {};
    }
    template <class Sum>
    void add(LaunchList& list, typename Sum::Params s, void* base) const;
};

template <class Partial>
template <class Sum>
void PartialTiles<Partial>::add(LaunchList& list, typename Sum::Params s, void* base) const
{
    const GemmTuning& t = tuning;
    s.partial_sums      = static_cast<const Partial*>(base);
    s.columns           = columns;
    s.rows              = make_divisor(rows);
    s.merged            = make_divisor(merged);
    s.tap_channels      = make_divisor(s.channels.value * s.merged.value);
    s.partial_size      = t.block_tile.m * t.block_tile.n;
    s.runs_of_row       = make_divisor(t.block_tile.n / Sum::vector);
    s.cluster           = make_divisor(t.maps.cluster);
    s.partial_rows      = t.block_tile.m;
    s.tile_rows         = t.block_tile.m * t.maps.cluster;
    s.tile_columns      = t.block_tile.n;
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

/// Says once, on stderr, that a workspace is missing. said: the kernel's flag.
inline void
warn_without_workspace(std::atomic<bool>& said, std::size_t bytes, index_t most_partial_sums)
{
    if(!said.exchange(true))
        std::fprintf(stderr,
                     "backward weight without a workspace (%zu bytes were asked for, for up to "
                     "%d partial sums): computed as one launch, slower; this is said once\n",
                     bytes,
                     static_cast<int>(most_partial_sums));
}

} // namespace ck::tensor_operation::device
