#pragma once
// The work of a block of GridwiseTensorMapConv: one tile after another, or partial sums of
// tiles.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/phase_order.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/stream_k_tail.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/split_tiles.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"
#include "ck/tensor_operation/operator_transform/rotated_phase.hpp"

namespace ck::grid {

/// A tile that this block computes, and the slices of its sum. Kernel: GridwiseTensorMapConv of the
/// tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapWork
{
    using Params = typename Kernel::Params;

    TileMap::Tile tile;
    index_t first_row, first_column;
    index_t rows;          ///< rows of the phase
    index_t first, slices; ///< slices of the partial sum, or of all
    bool is_partial;       ///< whether it is part of a tile's sum
    index_t partial;       ///< its number in StreamKTail, or its place in SplitTiles

    /// This block's number in its cluster.
    CK_DEVICE CK_INLINE static index_t rank() { return arch::block_index() % Kernel::cluster_size; }
    CK_DEVICE CK_INLINE static index_t first_number()
    {
        return arch::block_index() / Kernel::cluster_size;
    }

    /// Finds this block's first tile at or after `number` that has work; sets `number` to the one
    /// after it. Returns false if there is none.
    CK_DEVICE CK_INLINE bool find(const Params& p, index_t& number)
    {
        while(number < count(p))
        {
            const bool found = begin(p, number);
            number += p.blocks / Kernel::cluster_size;
            if(found)
                return true;
        }
        return false;
    }

private:
    CK_DEVICE CK_INLINE static index_t count(const Params& p)
    {
        if constexpr(Kernel::balances)
            return p.order.size;
        else
            return p.items.size();
    }

    CK_DEVICE CK_INLINE static bool is_balanced([[maybe_unused]] const Params& p)
    {
        if constexpr(Kernel::balances)
            return p.order.is_balanced();
        else
            return false;
    }

    /// Returns false if there is no work.
    CK_DEVICE CK_INLINE bool begin(const Params& p, index_t number)
    {
        if constexpr(Kernel::by_pixels)
        {
            const SplitTiles::Item item = p.items(number);
            first                       = item.first;
            slices                      = item.slices;
            is_partial                  = item.is_partial;
            partial = item.partial * Kernel::cluster_size + (Kernel::cluster_size > 1 ? rank() : 0);
            tile    = p.tiles.template of_whole_sums<false>(item.tile);
            rows    = p.image_rows[0];
            place();
            return true;
        }
        else
            return begin_taps(p, number);
    }

    /// Begins item `number` of forward and backward data.
    CK_DEVICE CK_INLINE bool begin_taps(const Params& p, index_t number)
    {
        const StreamKTail::Item item =
            is_balanced(p) ? StreamKTail::Item{number, 0, false} : p.items(number);
        if constexpr(Kernel::balances)
        {
            tile = p.order(p.tiles, item.tile);
            if(tile.phase_index >= p.tiles.phases.value)
                return false;
        }
        else
            tile = p.tiles.template of_whole_sums<(Kernel::most_phases > 1)>(item.tile);
        if constexpr(Kernel::most_phases > 1)
            tile.phase_index =
                p.tile_phase[is_balanced(p)
                                 ? tile.phase_index
                                 : rotated_phase(tile.phase_index, tile.row_tile, p.tiles.phases)];
        is_partial = item.is_partial;
        partial    = item.partial;
        place();
        first  = 0;
        slices = p.slices[Kernel::most_phases == 1 ? 0 : tile.phase_index];
        rows   = p.image_rows[Kernel::most_phases == 1 ? 0 : tile.phase_index] * p.images(tile);
        if(is_partial)
        {
            const index_t length =
                quotient(slices + p.items.partial_sums.value - 1, p.items.partial_sums);
            first  = partial * length;
            slices = math::max(0, math::min(length, slices - first));
        }
        return tile.row_tile * Kernel::tile_rows < rows;
    }

    CK_DEVICE CK_INLINE void place()
    {
        first_row = tile.row_tile * Kernel::tile_rows +
                    (tuning.maps.cluster > 1 ? rank() * Kernel::shape.m : 0);
        first_column = tile.column_tile * Kernel::shape.n;
    }
};

} // namespace ck::grid
