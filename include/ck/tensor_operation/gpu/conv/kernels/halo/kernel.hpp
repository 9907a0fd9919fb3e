#pragma once
// Hopper's convolution kernel for few channels. A workgroup keeps its filters in shared memory, one
// thread copies the halo tiles of the windows of C's tiles (operator_transform/halo_tiles.hpp), and
// every tap multiplies the same halo tile (wgmma). An implicit GEMM would copy each pixel once per
// tap, and few columns could not make up for that.
//
// Warpgroups take turns: while one stores its tile, another one multiplies. The filters are copied
// once for all tiles.
#include "ck/tensor_operation/gpu/conv/kernels/halo/consumer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/halo/producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

#include <tuple>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseHaloConv; empty if it is valid.
constexpr const char* why_no_image_halo_tiles(const GemmTuning& t)
{
    if(const char* reason = why_no_halo_tiles(t))
        return reason;
    if(t.block_tile.k != 64 && t.block_tile.k != 32)
        return "halo tiles are lines of 64 or 32 channels";
    if(t.halo.pixels != 1 && (t.halo.pixels != 2 || t.block_tile.k != 32))
        return "lines are of one pixel, or of two with 32 channels each";
    if(t.wave_m % 16 != 0 || t.block_tile.m % (4 * t.wave_m) != 0 || t.wave_n != t.block_tile.n ||
       !has_wgmma_of(t.wave_n))
        return "the four warps of each of wgmma's warpgroups have whole 16 rows and all columns of "
               "a block, 32, 64, 96, 128, 160, 192 or 256";
    return nullptr;
}

/// The kernel for Forward and BackwardData of one group; interface as GridwiseConv's. Each
/// warpgroup computes tiles of 4 * wave_m rows and wave_n columns; block_tile.m counts the rows of
/// all warpgroups. block_tile.k: channels in a line, 64 or 32.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseHaloConv
    : WarpSpecialized<GridwiseHaloConv<Transform, Types, tuning>>,
      Warpgroups<Types,
                 warp::WarpgroupGemm<tuning.instruction, tuning.wave_m / 16, tuning.wave_n / 8>,
                 tuning.block_tile.m / tuning.wave_m,
                 tuning.min_blocks_per_cu>
{
    static_assert(std::is_same_v<Transform, Forward> || std::is_same_v<Transform, BackwardData>);
    using Of    = typename GridwiseHaloConv::Warpgroups;
    using Store = StoreC<Transform,
                         Types,
                         typename Of::Wave,
                         tuning.block_tile.m,
                         tuning.c_vector,
                         Of::narrow,
                         Of::room>;

    static constexpr bool has_epilogue =
        has_channel_epilogue<Transform, Types>(arch::Requirement::wgmma);
    static constexpr bool takes_gelu = true;
    static constexpr index_t columns = tuning.block_tile.n, channels = tuning.block_tile.k,
                             sub_tiles = tuning.wave_m / 16, ///< sub-tiles of a warp
        pixels = tuning.halo.pixels; ///< pixels of X side by side in a line of LDS
    /// Bytes of a pixel of a halo tile, and of a filter line along the reduction or along the
    /// columns.
    static constexpr bool b_along_k  = Transform::b_along_k;
    static constexpr index_t b_line  = b_along_k           ? channels
                                       : columns % 64 == 0 ? 64
                                                           : 32; // elements
    static constexpr index_t a_bytes = 2 * channels, b_bytes = 2 * b_line;
    /// Lines of a box of the filters: one tap and line of channels.
    static constexpr index_t b_lines     = b_along_k ? columns : channels;
    static constexpr index_t slice_bytes = 2 * columns * channels;
    static constexpr index_t most_stages = 4; ///< per warpgroup

    struct Params : ConvParams<Transform, Types>
    {
        HaloTiles halo_tiles;
        arch::TensorMap a_map[HaloTiles::most_planes], b_map;
        index_t blocks;       ///< blocks of the launch, a multiple of the column tiles
        index_t taps[3];      ///< taps of the filter: x y z
        index_t lines;        ///< lines of channels in a pixel
        index_t last_steps;   ///< steps of the reduction in the last line
        index_t filter_bytes; ///< in shared memory, before the halo tiles
        index_t halo_bytes;   ///< distance from one halo tile to the next
        index_t stages;       ///< halo tiles of a warpgroup
        index_t row_stride;   ///< bytes from each row of C to the next; 0: not evenly spaced

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(),
                                  std::tie(a_map, b_map));
        }
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }

    struct Rest
    {
        typename Store::Shared store[Of::waves];
        typename Store::Rows rows;
        CopyPipeline<most_stages> pipeline[Of::warpgroups];
        arch::TransactionBarrier filters;
    };
    using SharedStorage = PooledStorage<Rest, (228 << 10) / tuning.min_blocks_per_cu - 1024>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for filters and halo tiles

    static constexpr bool starts_early(const Params&) { return true; }

    using Producer = HaloTileProducer<GridwiseHaloConv>;
    using Consumer = HaloTileConsumer<GridwiseHaloConv, tuning>;

    /// Calls each(tile, warpgroup) for the tiles of this block, in order.
    template <class Each>
    CK_DEVICE CK_INLINE static void for_tiles(const Params& p, const Each& each)
    {
        const ColumnOfTiles tiles = tiles_of_block(p);
        index_t warpgroup         = 0;
        for(index_t number = tiles.first; number < p.halo_tiles.tile_count; number += tiles.every)
            if(const HaloTiles::Tile tile = p.halo_tiles.tile(number); tile.exists(p.halo_tiles))
            {
                each(tile, warpgroup);
                warpgroup = warpgroup + 1 == Of::warpgroups ? 0 : warpgroup + 1;
            }
    }
    CK_DEVICE CK_INLINE static ColumnOfTiles tiles_of_block(const Params& p)
    {
        return {arch::block_index(), p.tiles.column_tiles, p.blocks};
    }
    CK_DEVICE CK_INLINE static char*
    halo_tile(const Params& p, SharedStorage& shared, index_t warpgroup, const PipelineState& stage)
    {
        return shared.pool + p.filter_bytes + (warpgroup * p.stages + stage.index) * p.halo_bytes;
    }

private:
    friend struct WarpSpecialized<GridwiseHaloConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        for(index_t i = 0; i < Of::warpgroups; ++i)
            shared.rest.pipeline[i].prepare(Of::waves_of_warpgroup);
        arch::initialize(shared.rest.filters, 1);
    }
};

} // namespace ck::grid
