#pragma once
// Hopper's backward weight kernel for floats multiplied as tf32. Lines of X are copied once for
// three adjacent taps in x, which read the same lines at different offsets. X goes through
// registers as wgmma's first operand; the second is dY, transposed in LDS.
#include "ck/tensor_operation/gpu/conv/kernels/filter_row/consumer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/filter_row/producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/slice_transposer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/weight_tiles.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/pixels_fragment.hpp"
#include "ck/tensor_operation/gpu/warp/warpgroup_gemm.hpp"
#include "ck/tensor_operation/operator_transform/filter_row_lines.hpp"

#include <tuple>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseFilterRowConv; empty if it is valid. Transform: of
/// the direction.
template <class Transform>
constexpr const char* why_no_filter_rows(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    if(Transform::a_along_k || Transform::b_along_k || t.reduction != Reduction::by_tap ||
       instruction_of(t).a_element != arch::Element::tf32 || !arch::takes_shared(t.instruction))
        return "filter rows are backward weight's, of floats multiplied as tf32 by wgmma";
    if(t.min_blocks_per_cu != 1)
        return "filter rows have workgroups alone on their SM";
    if(t.block_tile.m != 128 || t.wave_m != 128 || t.block_tile.n != 384 || t.wave_n != 48 ||
       t.block_tile.k != 32)
        return "filter rows have tiles of 128 channels of Y and 128 of X at three taps, warps of "
               "16 of these, and slices of 32 output pixels";
    return nullptr;
}

/// Backward weight of one group. A workgroup computes 128 channels of Y by 128 channels of X at
/// three taps; each of its two warpgroups has 64 of the latter.
template <class Types, GemmTuning tuning>
struct GridwiseFilterRowConv
    : WarpSpecialized<GridwiseFilterRowConv<Types, tuning>>,
      Warpgroups<Types,
                 warp::WarpgroupGemm<tuning.instruction, tuning.block_tile.m / 8, 1, true>,
                 tuning.block_tile.n / tuning.wave_n,
                 1,
                 tf32_t>
{
    using Of                          = typename GridwiseFilterRowConv::Warpgroups;
    using Transform                   = BackwardWeight;
    static constexpr index_t taps     = FilterRowLines::taps;
    static constexpr index_t pixels   = tuning.block_tile.k;
    static constexpr index_t rows     = tuning.block_tile.m;
    static constexpr index_t channels = tuning.block_tile.n / taps; ///< channels of X

    using Fragment  = warp::FragmentOfPixels;
    using Square    = warp::SquareOfLines<4, true, 1>; // warps that gave up registers
    using C         = typename Types::C;
    using Store     = StoreC<Transform, Types, typename Of::Wave, rows, 2, false, 1 << 10>;
    using Registers = RegisterReallocation<Of::consumers, 1, true, 40>;

    static constexpr index_t line_bytes  = 128;
    static constexpr index_t a_boxes     = rows / Fragment::channels,
                             b_boxes     = channels / Fragment::channels;
    static constexpr index_t a_bytes     = rows * pixels * 4;
    static constexpr index_t most_stages = 8;
    /// See Partial sums::pixels: what 72 slices take more than their share of 286, H200.
    static constexpr index_t partial_pixels = 12 * pixels;
    /// Warps that neither multiply nor copy.
    static constexpr index_t other_warps = (Of::block_size - Of::consumers) / Of::lanes - 1;

    struct Params : ConvParams<Transform, Types>
    {
        arch::TensorMap a_map, b_map;
        FilterRowLines x;
        PixelWindows windows; ///< windows of X: all lines of rows, and a group's taps in x as one
        WeightTiles weight_tiles;
        index_t rank;        ///< rank of the tensor maps
        index_t slices;      ///< slices of `pixels` output pixels
        index_t stage_bytes; ///< bytes of a stage in shared memory
        index_t stages;

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(),
                                  std::tie(a_map, b_map));
        }
    };

    static long_index_t grid_size(const Params& p)
    {
        return p.weight_tiles.size() * p.tiles.splits.value;
    }

    struct Rest
    {
        typename Store::Rows c_rows;
        CopyPipeline<most_stages> pipeline;
        arch::TransactionBarrier transposed[most_stages];
    };
    using SharedStorage                 = PooledStorage<Rest, (227 << 10)>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for the slices

    /// See GridwiseTensorMapConv.
    static bool starts_early(const Params& p) { return p.partial_sums.base == nullptr; }

    using Producer = FilterRowProducer<GridwiseFilterRowConv>;
    using Consumer = FilterRowConsumer<GridwiseFilterRowConv, tuning>;

    /// A tile of dW, from slices of the output pixels.
    CK_DEVICE CK_INLINE static WeightTile work(const Params& p, index_t block = arch::block_index())
    {
        return {p, p.slices, block};
    }

private:
    friend struct WarpSpecialized<GridwiseFilterRowConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.pipeline.prepare(Of::waves);
        for(index_t stage = 0; stage < most_stages; ++stage)
            arch::initialize(shared.rest.transposed[stage], other_warps);
    }
    CK_DEVICE CK_INLINE static void set_up(const Params& p, SharedStorage& shared, index_t thread)
    {
        if(thread < rows) // other threads need no tile: fewer registers
            work(p).set_row(shared.rest.c_rows, p, rows, thread);
    }
    /// The other warps transpose dY.
    CK_DEVICE CK_INLINE static void assist(const Params& p, SharedStorage& shared, index_t thread)
    {
        const SliceTransposer<Square, other_warps> by{thread / Of::lanes, thread % Of::lanes};
        const WeightTile of_block = work(p);
        PipelineState stage;
        for(index_t number = of_block.first; number < of_block.end;
            ++number, stage.advance(p.stages))
        {
            shared.rest.pipeline.wait(stage);
            by.transpose(
                reinterpret_cast<typename Of::Input*>(shared.pool + stage.index * p.stage_bytes),
                a_boxes * Square::size);
            by.hand_over(shared.rest.transposed[stage.index]);
        }
    }
};

} // namespace ck::grid
