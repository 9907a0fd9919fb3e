#pragma once
// What a block of GridwiseTensorMapConv computes: one tile after the other, or parts of them.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/grid/class_order.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/remainder.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

namespace ck::grid {

/// A tile that this block computes, and the slices of its sum. Kernel: GridwiseTensorMapConv of the
/// tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapWork
{
    using Params = typename Kernel::Params;

    TileMap::Tile tile;
    index_t first_row, first_column;
    index_t rows;          ///< of the class
    index_t first, slices; ///< of the part
    bool of_remainder;     ///< a part of a tile's sum, number tile.split

    /// This block's number in its cluster.
    CK_DEVICE CK_INLINE static index_t rank() { return arch::block_index() % Kernel::cluster_size; }
    CK_DEVICE CK_INLINE static index_t first_number()
    {
        return arch::block_index() / Kernel::cluster_size;
    }

    /// The first tile of this block at or after `number` that has something to do; leaves the
    /// number of the one after it. False if there is none.
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
            return p.remainder.size();
    }

    CK_DEVICE CK_INLINE static bool is_balanced([[maybe_unused]] const Params& p)
    {
        if constexpr(Kernel::balances)
            return p.order.is_balanced();
        else
            return false;
    }

    /// False where there is nothing to do.
    CK_DEVICE CK_INLINE bool begin(const Params& p, index_t number)
    {
        const Remainder::Item item =
            is_balanced(p) ? Remainder::Item{number, 0, false} : p.remainder(number);
        if constexpr(Kernel::balances)
        {
            tile = p.order(p.tiles, item.tile);
            if(tile.class_index >= p.tiles.classes.value)
                return false;
        }
        else if constexpr(Kernel::by_pixels)
            tile = p.tiles(item.tile);
        else
            tile = p.tiles.template of_one_group<(Kernel::most_classes > 1)>(item.tile);
        if constexpr(Kernel::most_classes > 1)
            tile.class_index =
                p.tile_class[is_balanced(p) ? tile.class_index : rotated(tile, p.tiles.classes)];
        of_remainder         = Kernel::has_remainder && item.in_parts;
        const index_t of_all = tile.row_tile * Kernel::tile_rows;
        first_row            = of_all + (tuning.cluster_m > 1 ? rank() * Kernel::shape.m : 0);
        first_column = (tile.column_tile * tuning.cluster_n + (tuning.cluster_n > 1 ? rank() : 0)) *
                       Kernel::shape.n;
        first  = 0;
        slices = p.slices[Kernel::most_classes == 1 ? 0 : tile.class_index];
        rows   = p.image_rows[Kernel::most_classes == 1 ? 0 : tile.class_index] *
               (Kernel::by_pixels ? 1 : p.images(tile));
        if constexpr(!Kernel::has_remainder)
            take_part(tile.split, math::integer_divide_ceil(slices, p.tiles.splits.value));
        else if(of_remainder)
        {
            tile.split = item.part;
            take_part(item.part, quotient(slices + p.remainder.parts.value - 1, p.remainder.parts));
        }
        return of_all < rows;
    }

    CK_DEVICE CK_INLINE void take_part(index_t number, index_t length)
    {
        first  = number * length;
        slices = math::max(0, math::min(length, slices - first));
    }

    /// Classes have different numbers of taps: this changes which class of a row comes first, so
    /// that a block whose tiles are a multiple of all classes apart meets all of them. H200,
    /// example 17's default problem: see docs/measurements.md.
    CK_DEVICE CK_INLINE static index_t rotated(const TileMap::Tile& tile, const Divisor& classes)
    {
        if(classes.value == 1)
            return 0;
        const index_t number = tile.class_index + tile.row_tile + quotient(tile.row_tile, classes);
        return number - quotient(number, classes) * classes.value;
    }
};

} // namespace ck::grid
