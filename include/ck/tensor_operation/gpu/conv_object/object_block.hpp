#pragma once
// One block of the object: base rows of dX (positions) by base channels, in a workgroup's
// registers, computed by one matrix instruction.
#include "ck/tensor_operation/gpu/block/block_gemm.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer.hpp"
#include "ck/tensor_operation/gpu/block/reduction_cursor.hpp"
#include "ck/tensor_operation/operator_transform/backward_data_in_blocks.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::conv_object {

/// Threads of a workgroup, whatever the instruction.
inline constexpr index_t block_threads = 256;

/// Number of adjacent channels of dY, and of W, in memory; 0: all, 1: none, as in
/// NCDHW.
struct Runs
{
    index_t grad_output, weight;
};

/// The waves' tiles and the slices of a base x base block, as in the library's kernels of 256
/// threads.
constexpr block::BlockShape block_shape(arch::Matrix id, index_t base, Runs runs)
{
    const arch::MatrixInstruction i = arch::describe(id);
    const bool one_by_one           = runs.grad_output == 1 || runs.weight == 1;
    const bool async                = i.requirement == arch::Requirement::mma_sync && !one_by_one;
    const bool dot                  = i.requirement == arch::Requirement::none;
    const index_t k                 = async ? 64 : dot && base > 64 ? 16 : 32;
    return {.m        = base,
            .n        = base,
            .k        = k,
            .wave_m   = base / 2,
            .wave_n   = i.lanes == 64 ? base / 2 : base / 4,
            .a_vector = runs.grad_output == 1 ? 1 : 8,
            .b_vector = runs.weight == 1 ? 1
                        : dot            ? 4
                                         : 8,
            // Adjacent threads read adjacent positions if channels are not contiguous.
            .a_contiguous =
                runs.grad_output == 1 ? block::Contiguous::row : block::Contiguous::reduction,
            .b_contiguous = block::Contiguous::row,
            .async        = async,
            .swizzled     = false,
            .in_boxes     = false,
            .a_run        = runs.grad_output == 1 ? 0 : runs.grad_output,
            .b_run        = runs.weight == 1 ? 0 : runs.weight};
}

/// The rows and columns of a phase that a block has.
struct BlockRange
{
    index_t first_row, row_end; ///< row_end: of the share in the phase
    index_t first_column;       ///< first column among the share's channels
    index_t columns;            ///< columns of the share
    index_t reduction;          ///< channels of dY in the share
};

/// The position of a block's row in dX.
struct BlockRow
{
    arch::offset_t offset; ///< bytes from the image's begin; nowhere beyond the share
    index_t d, h, w;
};

template <class T, arch::Matrix id, index_t base, Runs runs>
struct ObjectBlock
{
    static constexpr block::BlockShape shape = block_shape(id, base, runs);
    using Gemm                               = block::BlockGemm<id, shape>;
    using Wave                               = typename Gemm::Wave;
    using Schedule = std::conditional_t<shape.async, block::MultiStage<3>, block::SingleBuffer>;
    using Phase    = BackwardDataInBlocks::Phase;
    using ViewA    = Phase::A;
    using ViewB    = Phase::B;
    using NoChange = tensor_operation::element_wise::PassThrough;
    static_assert(Gemm::size == block_threads);

    struct Shared
    {
        typename Gemm::Slice slice[Schedule::buffers];
        thread::PlaceEntry<ViewA> a_rows[base];
        thread::PlaceEntry<ViewB> b_rows[base];
        BlockRow c_rows[base];
    };

    Wave wave;

    /// The sum of dY * W over the phase's taps and the share's channels of dY; added to the
    /// registers or replacing them. All threads of the block call it together.
    CK_DEVICE CK_INLINE void multiply(const Phase& views,
                                      const BlockRange& at,
                                      const T* grad_output,
                                      const T* weight,
                                      bool adds,
                                      Shared& shared)
    {
        const index_t thread = arch::thread_index();
        arch::block_sync(); // the last block's reads of LDS, or the user's
        for(index_t r = thread; r < base; r += block_threads)
        {
            const bool exists = at.first_row + r < at.row_end;
            auto row          = views.a.template part<0>(at.first_row + r);
            row.valid         = row.valid && exists;
            shared.a_rows[r]  = thread::place_entry<ViewA>(row, sizeof(T));
            const auto index  = views.c.template indices<0>(at.first_row + r);
            const auto place =
                static_cast<arch::offset_t>(views.c.template part<0>(at.first_row + r).offset);
            shared.c_rows[r] = {exists ? place * static_cast<arch::offset_t>(sizeof(T))
                                       : arch::nowhere,
                                index[1],
                                index[2],
                                index[3]};
            auto column      = views.b.template part<0>(at.first_column + r);
            column.valid     = at.first_column + r < at.columns;
            shared.b_rows[r] = thread::place_entry<ViewB>(column, sizeof(T));
        }
        arch::block_sync();

        thread::
            OperandCopy<Gemm::a_shape, Gemm::a_layout, ViewA, T, typename Gemm::InputA, NoChange>
                a(views.a, shared.a_rows, grad_output, {}, thread);
        thread::
            OperandCopy<Gemm::b_shape, Gemm::b_layout, ViewB, T, typename Gemm::InputB, NoChange>
                b(views.b, shared.b_rows, weight, {}, thread);
        block::SlicesByTap<shape.k> slices(views.tap_count, at.reduction);
        if(!adds)
            wave.clear();
        Gemm::template add<Schedule>(
            wave, slices, a, b, shared.slice, Gemm::place(arch::thread_index()));
    }

    /// Number of a lane's accumulators that are adjacent along the columns.
    static constexpr index_t run = Wave::run;

    /// Calls f(sums, row, column) for each run of the lane's sums; f takes float (&)[], and the row
    /// and first column in the block.
    template <class F>
    CK_DEVICE CK_INLINE void for_runs(F&& f)
    {
        const auto place = Gemm::place(arch::thread_index());
        // Forced inlining: a called lambda would keep the sums in memory.
        repeat_in_place<Wave::m_tiles>([&](index_t i) __attribute__((always_inline)) {
            repeat_in_place<Wave::instruction.c_values / run>([&](
                index_t u) __attribute__((always_inline)) {
                const auto at     = Wave::coordinate(place.lane, u * run);
                const index_t row = place.wave_m + i * Wave::tile_m + at.m;
                repeat_in_place<Wave::n_tiles>([&](index_t j) __attribute__((always_inline)) {
                    const auto sum = [&](index_t e) __attribute__((always_inline))
                                         ->typename Wave::Accumulator&
                    {
                        return wave.c[i][j][u * run + e];
                    };
                    f(sum, row, place.wave_n + Wave::tile_column(j) + at.n);
                });
            });
        });
    }
};

} // namespace ck::conv_object
