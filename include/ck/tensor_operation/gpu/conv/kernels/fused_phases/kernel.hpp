#pragma once
// Backward data with strides of 2 and few channels on Hopper. A tile has the rows of all phases of
// dX at the same positions (operator_transform/phase_grid.hpp). A workgroup keeps its filters in
// shared memory. One thread copies the pixels of dY shift by shift with tensor maps, and warpgroups
// multiply them with the filters of all phases that have a tap there (wgmma). With separate tiles
// per phase, dY would be copied once for each, and a phase with one tap would store a tile after
// few slices.
#include "ck/tensor_operation/gpu/conv/kernels/fused_phases/consumer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/fused_phases/producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

#include <bit>
#include <tuple>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseFusedPhasesConv; empty if it is valid. Transform: of
/// the direction.
template <class Transform>
constexpr const char* why_no_fused_phases(const GemmTuning& t)
{
    const bool backward_data = Transform::a_along_k && !Transform::b_along_k;
    if(const char* reason = why_no_waves(t))
        return reason;
    if(!backward_data || t.reduction != Reduction::by_tap || !arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2)
        return "fused phases are backward data's, multiplied by wgmma, of elements of two bytes";
    if(t.min_blocks_per_cu != 1)
        return "fused phases have workgroups alone on their SM";
    if(t.fused.phases != 2 && t.fused.phases != 4 && t.fused.phases != 8)
        return "there are 2, 4 or 8 fused phases";
    const index_t run = t.fused.phases * t.block_tile.n;
    if(t.block_tile.k != 64 || t.wave_n != t.block_tile.n ||
       (t.wave_n != 32 && t.wave_n % 64 != 0) || (run != 128 && run != 256) ||
       (t.wave_m != 16 && t.wave_m != 32) || t.block_tile.m % (4 * t.wave_m) != 0)
        return "fused phases have slices of 64 channels, 128 or 256 columns of C in all, each 32 "
               "or whole 64, and warps of 16 or 32 rows";
    return nullptr;
}

/// The kernel for BackwardData of one group; interface as GridwiseConv's.
template <class Types, GemmTuning tuning>
struct GridwiseFusedPhasesConv
    : WarpSpecialized<GridwiseFusedPhasesConv<Types, tuning>>,
      Warpgroups<Types,
                 warp::WarpgroupGemm<tuning.instruction,
                                     tuning.wave_m / 16,
                                     tuning.fused.phases * tuning.block_tile.n / 8>,
                 tuning.block_tile.m / tuning.wave_m,
                 1>
{
    using Of                      = typename GridwiseFusedPhasesConv::Warpgroups;
    using Transform               = BackwardData;
    static constexpr index_t rows = tuning.block_tile.m, columns = tuning.block_tile.n,
                             channels       = tuning.block_tile.k; ///< channels of dY in a slice
    static constexpr index_t phases         = tuning.fused.phases;
    static constexpr index_t bits           = std::countr_zero(static_cast<unsigned>(phases));
    static constexpr index_t warpgroup_rows = rows / Of::warpgroups;
    static constexpr index_t sub_tiles      = tuning.wave_m / 16; ///< instructions' rows of a warp

    using Store     = StoreC<Transform,
                         Types,
                         typename Of::Wave,
                         phases * rows,
                         tuning.c_vector,
                         Of::narrow,
                         Of::room,
                         StoredPartialSums::none,
                         SideBySide{columns, rows}>;
    using Registers = RegisterReallocation<Of::consumers, 1, true, 40>;
    /// Two passes of a tile are stored while the next one is multiplied. H200, ms, none, one, two,
    /// as many as registers hold: 256 images, 128 channels at 56x56 0.131, 0.128, 0.125, 0.130; 64
    /// to 128 0.070, 0.069, 0.067, 0.070; 3D 32 to 64 at 128^3 0.205, 0.206, 0.208, 0.237.
    static constexpr bool defers = Of::narrow && tuning.c_vector > 1 && Of::c_bytes == 2;
    static constexpr index_t deferred_passes = defers ? math::min(Store::Store::passes, 2) : 0;
    using Deferred = DeferredStore<typename Store::Store, deferred_passes>;

    /// Bytes of a line of dY, channels of a pixel, and of the filters, columns at a channel.
    static constexpr index_t b_line  = columns % 64 == 0 ? 64 : 32; ///< columns
    static constexpr index_t a_bytes = 2 * channels, b_bytes = 2 * b_line;
    static constexpr index_t slice_bytes = warpgroup_rows * a_bytes; ///< one warpgroup's
    static constexpr index_t box_bytes   = channels * b_bytes;
    static constexpr index_t b_boxes     = columns / b_line;          ///< boxes of a phase
    static constexpr index_t steps       = channels / Of::k_per_step; ///< wgmmas in a slice
    static constexpr index_t most_stages = 16;

    struct Params : ConvParams<Transform, Types>
    {
        PhaseGrid grid;
        arch::TensorMap a_map, b_map; ///< boxes of windows, and of filters
        index_t window_rank;
        index_t blocks;       ///< blocks of the launch, a multiple of the column tiles
        index_t reduction;    ///< channels of dY
        index_t filter_bytes; ///< in shared memory, before the slices of dY
        /// Slices in shared memory, used by the warpgroups in turn: a multiple of their number.
        /// Copies may finish out of order; a stage that previously belonged to the other warpgroup
        /// could look full.
        index_t stages;

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(),
                                  std::tie(a_map, b_map));
        }
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }
    static constexpr bool starts_early(const Params&) { return true; }

    struct Rest
    {
        typename Store::Shared store[Of::waves];
        typename Store::Rows c_rows; ///< one phase after the other, as in memory
        CopyPipeline<most_stages> pipeline;
        arch::TransactionBarrier filters;
    };
    using SharedStorage                 = PooledStorage<Rest, (227 << 10)>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for filters and slices

    using Producer = FusedPhasesProducer<GridwiseFusedPhasesConv>;
    using Consumer = FusedPhasesConsumer<GridwiseFusedPhasesConv, tuning>;

    CK_DEVICE CK_INLINE static ColumnOfTiles tiles_of_block(const Params& p)
    {
        return {arch::block_index(), p.tiles.column_tiles, p.blocks};
    }
    CK_DEVICE CK_INLINE static index_t first_column(const Params& p)
    {
        return tiles_of_block(p).column * columns;
    }
    CK_DEVICE CK_INLINE static auto*
    slice(const Params& p, SharedStorage& shared, const PipelineState& stage)
    {
        return reinterpret_cast<typename Of::Input*>(shared.pool + p.filter_bytes +
                                                     stage.index * slice_bytes);
    }

private:
    friend struct WarpSpecialized<GridwiseFusedPhasesConv>;

    CK_DEVICE CK_INLINE static void prefetch(const Params& p)
    {
        arch::prefetch(p.a_map);
        arch::prefetch(p.b_map);
    }
    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.pipeline.prepare(Of::waves_of_warpgroup);
        arch::initialize(shared.rest.filters, 1);
    }
};

} // namespace ck::grid
