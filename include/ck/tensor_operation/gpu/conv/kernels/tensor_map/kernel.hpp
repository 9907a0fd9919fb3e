#pragma once
// Hopper's implicit-GEMM convolution kernel. One thread starts the copies of a circular buffer of
// slices by tensor maps (TMA); warpgroups multiply them (wgmma) and store C. Workgroups are
// persistent, so the next tile's copies are in flight while a tile is stored. wgmma cannot
// read tf32 or 1-byte operands along rows: these are transposed in LDS, unless an earlier
// launch has transposed them in memory; a tf32 first operand goes through registers
// instead.
#include "ck/arch/named_barrier.hpp"
#include "ck/arch/progress.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/assistant.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/consumer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/producer.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/traits.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/zero_rows.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"

#include <tuple>

namespace ck::grid {

/// The kernel for Forward, BackwardData and BackwardWeight; interface as GridwiseConv's. Forward
/// and backward data of several groups have one phase and filters of one plane; the groups take the
/// plane's place in B's maps. In the maps of X and Y, groups are offsets along the channels.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseTensorMapConv : WarpSpecialized<GridwiseTensorMapConv<Transform, Types, tuning>>,
                               TensorMapTraits<Transform, Types, tuning>
{
    using Of = TensorMapTraits<Transform, Types, tuning>;

    struct NoOrder
    {};
    struct NoSlices
    {};

    struct Params : ConvParams<Transform, Types>
    {
        arch::TensorMap a_map[Of::most_phases]; ///< boxes of windows, of each phase
        arch::TensorMap b_map;                  ///< boxes of filters, or windows of X
        arch::TensorMap b_last; ///< box of the last filters, if it has fewer; half a slice
        index_t window_rank;    ///< rank of the maps of windows
        /// The work items.
        std::conditional_t<Of::has_stream_k_tail, StreamKTail, SplitTiles> items;
        index_t blocks; ///< blocks of the launch
        /// Bytes from each row of C to the next; 0: not evenly spaced.
        index_t row_stride;
        index_t tile_phase[Of::most_phases]; ///< phases of the tiles, longest sums first
        ZeroRows<Of::most_phases> zeros;     ///< rows of the other phases
        /// Rows of each phase in one image, and slices of its sum.
        index_t image_rows[Of::most_phases], slices[Of::most_phases];
        index_t columns;          ///< columns of C in a group
        index_t a_group, b_group; ///< elements of A, and backward weight's B, between groups
        /// Whether the planes of X's only image are the images of its map.
        bool planes_are_images;
        index_t reduction;  ///< channels of a tap, or output pixels
        Divisor tap_slices; ///< slices of a tap
        /// Whether the last slice of each tap has at most half of a slice's channels.
        bool half_slices;
        /// Whether the sum goes through all taps of a slice of channels before the next slice,
        /// instead of all channels of a tap before the next tap.
        bool taps_inside;
        std::conditional_t<Of::balances, PhaseOrder, NoOrder> order; ///< order of whole tiles

        auto addresses() const
        {
            return std::tuple_cat(ConvParams<Transform, Types>::addresses(),
                                  std::tie(a_map, b_map, b_last));
        }
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }

    /// H200: saves 0.3 us per launch, 15 % of the shortest. Between launches that add up partial
    /// sums it pays off if these are short (1x1 with 64 images at 7x7: 8 %); with longer ones,
    /// backward weight takes up to 15 % more.
    static bool starts_early(const Params& p)
    {
        if constexpr(!Of::by_pixels)
            return true;
        else
        {
            if(p.partial_sums.base == nullptr)
                return true;
            constexpr double short_cycles = 1 << 15;
            constexpr double slice_cycles =
                Of::shape.m * Of::shape.n * Of::shape.k * Of::input_bytes / 4096.;
            const double slices   = double{1} * p.slices[0] * static_cast<double>(p.tiles.size()),
                         channels = double{1} * p.image_rows[0] +
                                    p.transform.views.in_channels.value; // channels of dY and X
            return slices * slice_cycles * Of::min_blocks_per_cu < short_cycles * p.blocks &&
                   channels * p.reduction * Of::input_bytes <
                       short_cycles * device_bytes_in_a_cycle;
        }
    }

    struct SharedStorage
    {
        typename Of::Slice slice[tuning.stages];
        std::conditional_t<(Of::resident_filters > 0), typename Of::ResidentFilters, NoSlices>
            resident;
        typename Of::Store::Shared store[Of::consumers / Of::Gemm::lanes];
        typename Of::Store::Rows c_rows;
        arch::TransactionBarrier full[tuning.stages], empty[tuning.stages];
        arch::TransactionBarrier transposed[Of::transposes ? tuning.stages : 1];
        arch::TransactionBarrier resident_full[math::max(Of::resident_filters, 1)];
        arch::NamedBarrier<Of::consumers> multiplying; ///< warps that multiply
        typename ZeroRows<Of::most_phases>::Shared zero_rows[Of::fills_zeros ? Of::other_warps : 1];
        arch::Progress started; ///< slices whose copies have been, for those that fill in zeros
    };
    static_assert((sizeof(SharedStorage) + 1024) * Of::min_blocks_per_cu <= 228 << 10,
                  "an SM has 228 KiB of shared memory, and takes 1 KiB for each block");

    using Producer = TensorMapProducer<GridwiseTensorMapConv, tuning>;
    using Consumer = TensorMapConsumer<GridwiseTensorMapConv, tuning>;

private:
    friend struct WarpSpecialized<GridwiseTensorMapConv>;

    static constexpr bool waits_first = false; ///< the barriers of the first slices do

    CK_DEVICE CK_INLINE static void prefetch(const Params& p)
    {
        arch::prefetch(p.a_map[0]);
        arch::prefetch(p.b_map);
    }
    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        initialize_barriers(shared.full,
                            shared.empty,
                            tuning.stages,
                            Of::consumers / Of::Gemm::lanes * Of::b_sharers);
        if constexpr(Of::transposes)
            for(index_t stage = 0; stage < tuning.stages; ++stage)
                arch::initialize(shared.transposed[stage], Of::other_warps);
        for(index_t i = 0; i < Of::resident_filters; ++i)
            arch::initialize(shared.resident_full[i], 1);
        if constexpr(Of::same_rows)
            shared.multiplying.prepare();
        shared.started.prepare();
    }
    CK_DEVICE CK_INLINE static void sync()
    {
        if constexpr(Of::shares)
            arch::cluster_sync();
        else
            arch::block_sync();
    }
    CK_DEVICE CK_INLINE static void finish()
    {
        if constexpr(Of::shares)
            sync(); // the others may still copy to this block, and arrive at its barriers
    }
    CK_DEVICE CK_INLINE static void assist(const Params& p, SharedStorage& shared, index_t thread)
    {
        TensorMapAssistant<GridwiseTensorMapConv, tuning>::run(p, shared, thread);
    }
};

} // namespace ck::grid
