#pragma once
// The implicit-GEMM convolution kernel, whatever the direction: problem -> descriptors -> tile map
// -> pipeline -> epilogue.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/block/block_gemm.hpp"
#include "ck/tensor_operation/gpu/block/merged_slices.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/direct_multi_stage.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/double_buffer.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/overlapped_multi_stage.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer_in_runs.hpp"
#include "ck/tensor_operation/gpu/block/placed_slices.hpp"
#include "ck/tensor_operation/gpu/block/reduction_cursor.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/own_group.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

#include <type_traits>

namespace ck::grid {

/// What is wrong with a tuning of GridwiseConv for a transform's operands; empty if nothing is.
template <class Transform>
constexpr const char* why_no_gemm(const GemmTuning& t)
{
    const bool wgmma = arch::takes_shared(t.instruction);
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::Requirement requirement = instruction_of(t).requirement;
    const bool direct                   = requirement == arch::Requirement::mfma_gfx950;
    if(t.pipeline == Pipeline::async_copies && !wgmma && !direct && !arch::is_mma_sync(requirement))
        return "asynchronous copies need mma.sync's targets, or gfx950's own MFMA";
    if(t.pipeline == Pipeline::async_copies && direct && t.reduction == Reduction::merged)
        return "copies straight to LDS go tap by tap";
    const auto power_of_two = [](index_t n) { return (n & (n - 1)) == 0; };
    if(t.pipeline == Pipeline::async_copies && direct &&
       ((!Transform::a_along_k && !power_of_two(t.wave_m)) ||
        (!Transform::b_along_k && !power_of_two(t.wave_n))))
        return "lines along the rows are read in tiles of waves that are powers of two";
    if(wgmma && (t.pipeline != Pipeline::async_copies || t.stages < 3))
        return "wgmma needs asynchronous copies and at least three stages, or tensor maps";
    if(wgmma)
        if(const char* reason = why_no_wgmma<Transform>(t))
            return reason;
    return why_no_slices<Transform>(t);
}

/// C = A * B, the views of the three tensors coming from Transform (operator_transform/):
/// make_phase(index, batch) gives descriptors a [row, tap, k], b [column, tap, k], c [row, column]
/// and tap_count.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseConv
{
    static constexpr block::BlockShape shape = block_shape<Transform>(tuning);
    using Gemm                               = block::BlockGemm<tuning.instruction, shape>;
    using Wave                               = typename Gemm::Wave;
    static constexpr bool mfma               = arch::is_mfma(Gemm::instruction.requirement);
    using Schedule                           = std::conditional_t<
        tuning.pipeline == Pipeline::async_copies,
        std::conditional_t<shape.swizzled,
                           block::OverlappedMultiStage<tuning.stages>,
                           std::conditional_t<shape.direct_to_lds,
                                              block::DirectMultiStage<tuning.stages>,
                                              block::MultiStage<tuning.stages>>>,
        std::conditional_t<
            tuning.pipeline == Pipeline::double_buffer,
            block::DoubleBuffer,
            std::conditional_t<mfma, block::SingleBufferInRuns, block::SingleBuffer>>>;
    using Accumulator = typename Wave::Accumulator;
    // Large tiles pass through LDS as they are stored, in half the bytes. H200, N 256, K 256, C 64,
    // 56x56, 1x1: 0.197 ms instead of 0.226.
    static constexpr bool narrow = (shape.swizzled || (mfma && sizeof(typename Types::C) == 2)) &&
                                   Types::Ds::Size() == 0 &&
                                   thread::only_converts<typename Types::OperationC> &&
                                   sizeof(typename Types::C) < sizeof(Accumulator);
    static constexpr index_t block_size            = Gemm::size;
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = Gemm::instruction.requirement;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);
    static constexpr bool takes_gelu   = true;

    using Params = ConvParams<Transform, Types>;

    /// Blocks of a launch.
    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    using ViewA = typename Transform::Phase::A;
    using ViewB = typename Transform::Phase::B;

    /// Views [row, reduction] instead of [row, tap, k].
    static constexpr bool merged = ViewA::structure.tops == 2;
    /// See MergedSlices.
    static constexpr bool by_taps = mfma && block::has_taps_of_channels<ViewB>() &&
                                    Gemm::b_shape.same_rows() &&
                                    Gemm::b_shape.contiguous == block::Contiguous::row;
    using MergedSlices = block::MergedSlices<ViewA, ViewB, shape.k, Gemm::size, by_taps>;
    /// Whether the block's threads find the places of A's rows together. MFMA's accumulators take
    /// the registers of few threads: each copies many rows.
    static constexpr bool placed = !merged && mfma;

    /// Whether several groups may be computed as one, sums being no integers.
    static constexpr bool merges_groups =
        std::is_floating_point_v<Accumulator> && requires(Transform t)
    {
        t.groups.count;
    };

    /// Whether a thread finds the entry of the one row that it copies itself: there is no table.
    static constexpr bool own_a_row = mfma && merged && Gemm::a_shape.same_rows() && !merges_groups;
    static constexpr bool own_b_row = mfma && Gemm::b_shape.same_rows() && !merges_groups;

    using CopyA = thread::OperandCopy<Gemm::a_shape,
                                      Gemm::a_layout,
                                      ViewA,
                                      typename Types::A,
                                      typename Gemm::InputA,
                                      typename Types::OperationA,
                                      typename Types::ComputeA>;
    using CopyB = thread::OperandCopy<Gemm::b_shape,
                                      Gemm::b_layout,
                                      ViewB,
                                      typename Types::B,
                                      typename Gemm::InputB,
                                      typename Types::OperationB,
                                      typename Types::ComputeB>;

    /// Whether threads find the entries of the rows of B that they copy themselves.
    static constexpr bool own_b_rows = own_b_row || (CopyB::keeps_rows && !merges_groups);

    /// Whether places, and those of C's rows, wait in registers: of slices of whole lines.
    static constexpr bool in_lanes = placed && Gemm::a_shape.swizzled_rows && CopyA::wave_rows > 0;
    using Places                   = std::conditional_t<in_lanes,
                                      block::PlacesInLanes<CopyA>,
                                      block::PlacesInTable<CopyA, shape.m, Gemm::size>>;
    using PlacedSlices             = block::PlacedSlices<ViewA, ViewB, Places, shape.k>;

    /// Whether the table of C's rows is written when the slices are done, in their place.
    static constexpr bool late_rows = in_lanes && Types::Ds::Size() == 0;
    /// LDS of a wave that the slices take in any case.
    static constexpr index_t room =
        (static_cast<index_t>(sizeof(typename Gemm::Slice)) * Schedule::buffers -
         (late_rows ? shape.m * static_cast<index_t>(sizeof(arch::offset_t)) : 0)) /
        (Gemm::waves_m * Gemm::waves_n) / 16 * 16;
    using Store = StoreC<Transform, Types, Wave, shape.m, tuning.c_vector, narrow, room>;

    template <int number>
    struct NoTable // a type of its own that takes no bytes
    {};
    template <bool none, class View, index_t rows, int number>
    using RowTable =
        std::conditional_t<none, NoTable<number>, Vector<thread::PlaceEntry<View>, rows>>;

    struct SharedStorage
    {
        union
        {
            typename Gemm::Slice slice[Schedule::buffers];
            struct
            {
                typename Store::Shared store[Gemm::waves_m * Gemm::waves_n];
                [[no_unique_address]] std::
                    conditional_t<late_rows, typename Store::Rows, NoTable<5>>
                        late_c_rows;
            };
        };
        [[no_unique_address]] RowTable<own_a_row || placed, ViewA, shape.m, 0> a_rows;
        [[no_unique_address]] RowTable<own_b_rows, ViewB, shape.n, 1> b_rows;
        [[no_unique_address]] std::conditional_t<merged, typename MergedSlices::Table, NoTable<2>>
            reduction;
        [[no_unique_address]] std::
            conditional_t<placed && !in_lanes, block::PlaceTable<shape.m>, NoTable<3>>
                places;
        [[no_unique_address]] std::conditional_t<late_rows, NoTable<6>, typename Store::Rows>
            early_c_rows;

        CK_DEVICE CK_INLINE auto& c_rows()
        {
            if constexpr(late_rows)
                return late_c_rows;
            else
                return early_c_rows;
        }
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        run_block(p, arch::block_index(), shared);
    }

    /// What block number `block` of the launch with these parameters does.
    CK_DEVICE CK_INLINE static void run_block(const Params& p, index_t block, SharedStorage& shared)
    {
        const TileMap::Tile tile   = p.tiles(block);
        const auto views           = p.views(tile);
        const index_t first_row    = tile.row_tile * shape.m,
                      first_column = tile.column_tile * shape.n;
        if(first_row >= views.c.template extent<0>())
            return; // this phase has fewer rows than the largest one

        const index_t thread = arch::thread_index();
        const auto a_entry   = [&](index_t r) {
            return thread::place_entry<ViewA>(views.a.template part<0>(first_row + r),
                                              sizeof(typename Params::SourceA::Element));
        };
        const auto b_entry = [&](index_t r) {
            return thread::place_entry<ViewB>(views.b.template part<0>(first_column + r),
                                              sizeof(typename Params::SourceB::Element));
        };
        const auto places = [&] {
            if constexpr(in_lanes)
                return Places(thread);
            else if constexpr(placed)
                return Places(shared.places, thread);
            else
                return NoTable<5>{};
        }();
        // Finds the places of A's and C's rows together: their digits are found once.
        [[maybe_unused]] arch::offset_t c_row[Places::rows_of_thread];
        auto placed_slices = [&] {
            if constexpr(placed)
                return PlacedSlices(views.a,
                                    views.b,
                                    sizeof(typename Params::SourceA::Element),
                                    sizeof(typename Params::SourceB::Element),
                                    first_row,
                                    places,
                                    views.tap_count,
                                    [&](index_t i, index_t r) {
                                        if constexpr(late_rows)
                                            c_row[i] = Store::Rows::place(p, views, first_row + r);
                                        else
                                            shared.c_rows().set(r, p, views, first_row + r);
                                    });
            else
                return NoTable<4>{};
        }();
        if constexpr(!placed)
            for(index_t r = thread; r < shape.m; r += block_size)
            {
                if constexpr(!own_a_row)
                    shared.a_rows[r] = a_entry(r);
                shared.c_rows().set(r, p, views, first_row + r);
            }
        if constexpr(!own_b_rows)
            for(index_t r = thread; r < shape.n; r += block_size)
                shared.b_rows[r] = b_entry(r);
        arch::block_sync();

        const auto at     = Gemm::place(thread);
        const auto a_rows = [&] {
            if constexpr(own_a_row)
                return a_entry(CopyA::row_of(thread));
            else if constexpr(!placed)
                return shared.a_rows.value;
        };
        const auto b_rows = [&] {
            if constexpr(own_b_row)
                return b_entry(CopyB::row_of(thread));
            else if constexpr(own_b_rows)
                return b_entry;
            else
                return shared.b_rows.value;
        };
        Wave wave;
        {
            auto a_base = p.a;
            auto b_base = p.b;
            if((tile.group | tile.sub_batch) != 0)
            {
                a_base = a_base + p.a_distance.to(tile);
                b_base = b_base + p.b_distance.to(tile);
            }
            CopyA a = [&] {
                if constexpr(placed)
                    return CopyA(views.a, a_base, p.operation_a, thread);
                else
                    return CopyA(views.a, a_rows(), a_base, p.operation_a, thread);
            }();
            CopyB b(views.b, b_rows(), b_base, p.operation_b, thread);
            if constexpr(merged)
            {
                const index_t all =
                    math::integer_divide_ceil(views.a.template extent<1>(), shape.k);
                const index_t a_split = math::integer_divide_ceil(all, p.tiles.splits.value);
                const index_t first   = tile.split * a_split;
                MergedSlices slices(views.a,
                                    views.b,
                                    sizeof(typename Params::SourceA::Element),
                                    sizeof(typename Params::SourceB::Element),
                                    shared.reduction,
                                    first,
                                    math::max(0, math::min(a_split, all - first)),
                                    thread);
                if constexpr(by_taps)
                    slices.set_rows(first_column, shape.n, first_column + CopyB::row_of(thread));
                Gemm::template run<Schedule>(wave, slices, a, b, shared.slice, at);
            }
            else if constexpr(placed)
                Gemm::template run<Schedule>(wave, placed_slices, a, b, shared.slice, at);
            else
            {
                block::SlicesByTap<shape.k> slices(views.tap_count, views.a.template extent<2>());
                Gemm::template run<Schedule>(wave, slices, a, b, shared.slice, at);
            }
        }

        if constexpr(merges_groups)
            if(p.transform.groups.count.value > 1)
                add_up_again(p, tile, shared, wave, at);
        arch::block_sync(); // LDS changes hands
        if constexpr(late_rows)
        {
            places.each_row([&](index_t i, index_t r) { shared.c_rows().c[r] = c_row[i]; });
            arch::block_sync();
        }
        Store::run(wave,
                   shared.store[thread / Gemm::lanes],
                   shared.c_rows(),
                   p,
                   views,
                   tile,
                   at.wave_m,
                   first_column + at.wave_n,
                   at.lane);
    }

private:
    /// See own_group.hpp.
    CK_DEVICE CK_INLINE static void add_up_again(const Params& p,
                                                 const TileMap::Tile& tile,
                                                 const SharedStorage& shared,
                                                 Wave& wave,
                                                 const typename Gemm::Place& at)
    {
        using A = thread::OperandElement<typename Types::A,
                                         typename Gemm::InputA,
                                         typename Types::OperationA,
                                         typename Types::ComputeA>;
        using B = thread::OperandElement<typename Types::B,
                                         typename Gemm::InputB,
                                         typename Types::OperationB,
                                         typename Types::ComputeB>;
        replace_not_finite(wave, at.lane, [&](index_t row, index_t column) {
            const Params& params = *arch::constant_uniform(&p);
            const auto views     = params.views(tile);
            const auto moved     = [&](auto base, const Distance& d) { return base + d.to(tile); };
            return sum_of_own_group<Accumulator>(
                views.a,
                views.b,
                thread::read_entry(shared.a_rows.value + at.wave_m + row),
                thread::read_entry(shared.b_rows.value + at.wave_n + column),
                sizeof(typename Params::SourceA::Element),
                sizeof(typename Params::SourceB::Element),
                [&](arch::offset_t place) {
                    return type_convert<Accumulator>(
                        A::at(moved(params.a, params.a_distance), params.operation_a, place));
                },
                [&](arch::offset_t place) {
                    return type_convert<Accumulator>(
                        B::at(moved(params.b, params.b_distance), params.operation_b, place));
                });
        });
    }
};

} // namespace ck::grid
