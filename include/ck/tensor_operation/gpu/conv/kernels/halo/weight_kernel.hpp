#pragma once
// Hopper's backward weight kernel for few channels. dW of a few taps and channels stays in
// registers while a workgroup loops over tiles of output pixels. dY and the halo tile of X
// (operator_transform/halo_tiles.hpp) are copied once for all of these taps.
#include "ck/tensor_operation/gpu/conv/kernels/halo/weight_consumer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/halo/weight_producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/weight_tiles.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

#include <tuple>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseHaloWeightConv; empty if it is valid.
constexpr const char* why_no_weight_halo_tiles(const GemmTuning& t)
{
    if(const char* reason = why_no_halo_tiles(t))
        return reason;
    return t.block_tile.m == 64 && t.wave_m == 16 && t.block_tile.n % t.wave_n == 0 &&
                   (t.wave_n == 192 || t.wave_n == 96) && t.block_tile.k % 64 == 0
               ? nullptr
               : "warpgroups have 64 rows and three taps of 64 or 32 channels, tiles whole 64 "
                 "output pixels";
}

/// Backward weight of one group, stride 1. A workgroup computes block_tile.m rows (64 channels of
/// Y) by a line of 64 or 32 channels of X, at `taps` taps adjacent in x for each of its
/// warpgroups, which are adjacent in y: wave_n is taps * line. block_tile.k: output pixels per
/// tile.
///
/// Tiles that extend beyond an image read zeros of dY there, but they may read pixels of X that a
/// tap does not use in the image. An infinity or NaN in these makes that tap's dW NaN, although
/// the convolution's definition would not.
template <class Types, GemmTuning tuning>
struct GridwiseHaloWeightConv
    : WarpSpecialized<GridwiseHaloWeightConv<Types, tuning>>,
      Warpgroups<Types,
                 warp::WarpgroupGemm<tuning.instruction, 1, tuning.wave_n / 8>,
                 tuning.block_tile.n / tuning.wave_n * 4,
                 tuning.min_blocks_per_cu>
{
    using Of                           = typename GridwiseHaloWeightConv::Warpgroups;
    using Transform                    = BackwardWeight;
    static constexpr index_t sub_tiles = tuning.block_tile.k / HaloTiles::sub_tile;
    static constexpr index_t taps      = 3; ///< taps in x
    static constexpr index_t rows = 64, line = tuning.wave_n / taps;
    static constexpr index_t a_bytes = 2 * rows, b_bytes = 2 * line; ///< bytes of one pixel
    static constexpr index_t most_stages = 8;

    using TapWave = warp::WarpgroupGemm<tuning.instruction, 1, line / 8>;
    using Store   = StoreC<Transform, Types, TapWave, rows, tuning.c_vector, Of::narrow, Of::room>;

    struct Params : ConvParams<Transform, Types>
    {
        HaloTiles halo_tiles; ///< halo tiles of X; there is one tap group
        arch::TensorMap a_map, b_map;
        WeightTiles weight_tiles;
        index_t dilation[3];             ///< x y z
        index_t halo_bytes, stage_bytes; ///< bytes in shared memory
        index_t stages;

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(),
                                  std::tie(a_map, b_map));
        }
    };

    static constexpr index_t own_bytes = tuning.block_tile.k * a_bytes; ///< dY of a tile

    static long_index_t grid_size(const Params& p)
    {
        return p.weight_tiles.size() * p.tiles.splits.value;
    }

    struct Rest
    {
        typename Store::Shared store[Of::waves];
        typename Store::Rows c_rows;
        CopyPipeline<most_stages> pipeline;
    };
    using SharedStorage = PooledStorage<Rest, (228 << 10) / tuning.min_blocks_per_cu - 1024>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for the tiles' pixels

    /// See GridwiseTensorMapConv.
    static bool starts_early(const Params& p) { return p.partial_sums.base == nullptr; }

    using Producer = HaloWeightProducer<GridwiseHaloWeightConv>;
    using Consumer = HaloWeightConsumer<GridwiseHaloWeightConv, tuning>;

    /// A tile of dW, summed over tiles of output pixels.
    CK_DEVICE CK_INLINE static WeightTile work(const Params& p)
    {
        return {p, p.halo_tiles.tile_count};
    }

private:
    friend struct WarpSpecialized<GridwiseHaloWeightConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.pipeline.prepare(Of::waves);
    }
    CK_DEVICE CK_INLINE static void set_up(const Params& p, SharedStorage& shared, index_t thread)
    {
        if(thread < rows) // other threads need no tile: fewer registers
            work(p).set_row(shared.rest.c_rows, p, rows, thread);
    }
};

} // namespace ck::grid
