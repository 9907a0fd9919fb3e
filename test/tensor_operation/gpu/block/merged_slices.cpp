// Slices of a merged reduction: every thread is told where its row meets the reduction's elements,
// whether B's places are found by taps or one by one.
#include "ck/tensor_operation/gpu/block/merged_slices.hpp"

#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/block/slices_of_copies.hpp"

namespace ck::block::test::merged_slices {
namespace {

using ViewA = BackwardWeight::Phase::A;
using ViewB = BackwardWeight::Phase::B;

/// A block of 64 rows of B, a thread each; slices of 8.
template <bool by_taps>
struct AskMergedSlices
{
    static constexpr index_t rows = 64, slice_k = 8;
    using Slices = MergedSlices<ViewA, ViewB, slice_k, rows, by_taps>;

    static constexpr index_t block_size            = rows;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    struct Params
    {
        ViewA a;
        ViewB b;
        index_t first_row, first_slice, count;
        arch::offset_t* result; // [slice, k, row]
    };
    struct SharedStorage
    {
        typename Slices::Table table;
    };

    struct Copy
    {
        const ViewB& view;
        thread::PlaceEntry<ViewB> row;
        arch::offset_t* result;

        CK_DEVICE CK_INLINE void select_slice(const thread::PlaceEntry<ViewB>* reduction)
        {
            for(index_t k = 0; k < slice_k; ++k)
                result[k * rows] = thread::place_of(view, row, thread::read_entry(reduction + k));
        }
        CK_DEVICE CK_INLINE void select_slice_places(const arch::offset_t* places,
                                                     arch::offset_t offset)
        {
            for(index_t k = 0; k < slice_k; ++k)
                result[k * rows] = places[k] + offset;
        }
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), row = p.first_row + thread;
        Slices slices(p.a, p.b, element, element, shared.table, p.first_slice, p.count, thread);
        if constexpr(by_taps)
            slices.set_rows(p.first_row, rows, row);
        Ignored a;
        Copy b{
            p.b, thread::place_entry<ViewB>(p.b.template part<0>(row), element), p.result + thread};
        for(index_t i = 0; i < p.count; ++i)
        {
            slices.advance(a, b);
            b.result += slice_k * rows;
            arch::block_sync();
        }
    }
};

template <bool by_taps>
void check(const ConvProblem& problem)
{
    using Kernel           = AskMergedSlices<by_taps>;
    constexpr index_t rows = Kernel::rows, slice_k = Kernel::slice_k;
    const auto batch          = static_cast<index_t>(problem.batch);
    const auto phase          = BackwardWeight::make(problem, batch).make_phase(0, batch);
    const index_t first_slice = 1,
                  count       = math::integer_divide_ceil(phase.reduction, slice_k) - first_slice;
    for(index_t first_row = 0; first_row < phase.b.template extent<0>(); first_row += rows)
    {
        const auto got = run_block<Kernel>(
            {phase.a, phase.b, first_row, first_slice, count, nullptr}, count * slice_k * rows);
        index_t wrong = 0;
        for(std::size_t i = 0; i < got.size(); ++i)
        {
            const auto at       = static_cast<index_t>(i);
            const index_t k     = first_slice * slice_k + at / rows;
            const auto expected = bytes_of(phase.b(first_row + at % rows, k));
            if(expected < arch::nowhere ? got[i] != expected : got[i] < arch::nowhere)
                ++wrong;
        }
        EXPECT_EQ(wrong, 0) << "of the block from row " << first_row;
    }
}

ConvProblem problem(long_index_t channels)
{
    return make_packed_problem<2>(
        1, 2, 3, channels, {3, 2}, {9, 7}, {2, 1}, {1, 2}, {2, 0}, {1, 3});
}

TEST(MergedSlices, FindPlacesByTaps)
{
    for(const long_index_t channels : {64, 128, 22, 16, 40}) // 1 to 4 taps of a block
        check<true>(problem(channels));
}

TEST(MergedSlices, FindPlacesOneByOneWhereTapsAreMany)
{
    for(const long_index_t channels : {15, 4, 1})
        check<true>(problem(channels));
}

TEST(MergedSlices, FindPlacesOneByOne)
{
    for(const long_index_t channels : {64, 15, 1})
        check<false>(problem(channels));
}

} // namespace
} // namespace ck::block::test::merged_slices
