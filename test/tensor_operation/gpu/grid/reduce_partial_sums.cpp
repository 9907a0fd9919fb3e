// Adds up partial sums: any number of them, by any number of threads, with merged groups and with
// rows that are not whole runs.
//
// Cases not sanitized: ReducePartialSums.AnyNumberOfPartsAndSharers
#include "ck/tensor_operation/gpu/grid/reduce_partial_sums.hpp"

#include "ck/arch/kernel.hpp"

#include "tensor_operation/gpu/grid/sums.hpp"

namespace ck::grid::reduce_partial_sums {
namespace {

using Sum = ReducePartialSums<BackwardWeight, float, tensor_operation::element_wise::PassThrough>;

/// dW of `groups` groups, `merged` of them computed as one, from `count` partial sums whose
/// elements are small integers.
void expect_right(const ConvProblem& p, index_t merged, index_t count, index_t sharers)
{
    SCOPED_TRACE(testing::Message()
                 << "K " << p.out_channels << " C " << p.in_channels << " merged " << merged
                 << " partial sums " << count << " sharers " << sharers);
    const auto rows     = static_cast<index_t>(p.out_channels),
               channels = static_cast<index_t>(p.in_channels),
               taps = static_cast<index_t>(p.filter[2]), groups = static_cast<index_t>(p.groups),
               columns = taps * channels;
    Sum::Params s{};
    s.partial_sums = PartialSums::make(nullptr, merged * rows, merged * columns, groups / merged);
    Sums sums(p, count * s.partial_sums.partial);
    s.partial_sums.base = sums.partial_sums();
    s.c                 = sums.c();
    s.partial_count     = count;
    s.transform         = BackwardWeight::make(p, 1);
    s.c_group           = p.filter_strides[0];
    s.columns           = columns;
    s.runs_of_row       = make_divisor(Sum::runs_of_row(columns));
    s.channels          = make_divisor(channels);
    s.merged            = make_divisor(merged);
    s.sharers           = sharers;
    s.runs              = make_divisor(Sum::block_size / sharers);
    s.whole_runs        = channels % Sum::vector == 0;
    const auto of_group = static_cast<index_t>(Sum::blocks_of_group(rows, columns, sharers));
    s.blocks_of_group   = make_divisor(of_group);
    HIP_CHECK_ERROR(arch::launch<Sum>(of_group * groups, nullptr, s));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    sums.expect([&](index_t g, index_t k, index_t x, index_t channel) {
        const index_t in_merged = g % merged;
        float expected          = 0;
        for(index_t i = 0; i < count; ++i)
            expected +=
                sums.partial(i * s.partial_sums.partial + g / merged * s.partial_sums.group +
                             (in_merged * rows + k) * s.partial_sums.row_length +
                             (x * merged + in_merged) * channels + channel);
        return expected;
    });
}

TEST(ReducePartialSums, AnyNumberOfPartsAndSharers)
{
    for(const index_t count : {1, 2, 5, 16, 131})
        for(const index_t sharers : {1, 4, 32})
        {
            expect_right(problem(1, 40, 24), 1, count, sharers); // whole runs
            expect_right(problem(3, 7, 5), 1, count, sharers);
        }
}

TEST(ReducePartialSums, MergedGroups)
{
    for(const index_t sharers : {1, 8})
    {
        expect_right(problem(8, 4, 4), 4, 9, sharers);
        expect_right(problem(6, 3, 2), 2, 9, sharers);
    }
}

} // namespace
} // namespace ck::grid::reduce_partial_sums
