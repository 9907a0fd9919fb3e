// Parts of a sum added up: any number of them, by any number of threads, of merged groups and of
// rows that are no whole runs.
#include "ck/tensor_operation/gpu/grid/sum_parts.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ck::grid {
namespace {

using Sum = SumParts<BackwardWeight, float, tensor_operation::element_wise::PassThrough>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// dW of `groups` groups, `merged` of them computed as one, from `count` parts whose elements are
/// small integers.
void expect_right(const ConvProblem& p, index_t merged, index_t count, index_t sharers)
{
    SCOPED_TRACE(testing::Message()
                 << "K " << p.out_channels << " C " << p.in_channels << " merged " << merged
                 << " parts " << count << " sharers " << sharers);
    const auto rows     = static_cast<index_t>(p.out_channels),
               channels = static_cast<index_t>(p.in_channels),
               taps = static_cast<index_t>(p.filter[2]), groups = static_cast<index_t>(p.groups),
               columns = taps * channels;
    Sum::Params s{};
    s.parts = Parts::make(nullptr, merged * rows, merged * columns, groups / merged);
    std::vector<float> parts(static_cast<std::size_t>(count * s.parts.part)),
        c(static_cast<std::size_t>(groups * rows * columns), nan);
    for(std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = static_cast<float>(i * 2654435761u >> 9 & 15);
    const DeviceMem parts_on_device(sizeof(float) * parts.size()),
        c_on_device(sizeof(float) * c.size());
    parts_on_device.ToDevice(parts.data());
    c_on_device.ToDevice(c.data());
    s.parts.base        = static_cast<float*>(parts_on_device.GetDeviceBuffer());
    s.c                 = static_cast<float*>(c_on_device.GetDeviceBuffer());
    s.part_count        = count;
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
    c_on_device.FromDevice(c.data());
    int wrong = 0;
    for(index_t g = 0; g < groups; ++g)
        for(index_t k = 0; k < rows; ++k)
            for(index_t x = 0; x < taps; ++x)
                for(index_t channel = 0; channel < channels; ++channel)
                {
                    const index_t in_merged = g % merged;
                    float expected          = 0;
                    for(index_t i = 0; i < count; ++i)
                        expected += parts[static_cast<std::size_t>(
                            i * s.parts.part + g / merged * s.parts.group +
                            (in_merged * rows + k) * s.parts.row_length +
                            (x * merged + in_merged) * channels + channel)];
                    wrong += !(c[static_cast<std::size_t>(((g * rows + k) * taps + x) * channels +
                                                          channel)] == expected);
                }
    EXPECT_EQ(wrong, 0);
}

ConvProblem problem(index_t groups, index_t k, index_t c)
{
    ConvProblem p;
    p.rank         = 1;
    p.groups       = groups;
    p.out_channels = k;
    p.in_channels  = c;
    p.filter[2]    = 3;
    p.input[2]     = 10;
    set_packed_strides(p);
    return p;
}

TEST(SumParts, AnyNumberOfPartsAndSharers)
{
    for(const index_t count : {1, 2, 5, 16, 131})
        for(const index_t sharers : {1, 4, 32})
        {
            expect_right(problem(1, 40, 24), 1, count, sharers); // whole runs
            expect_right(problem(3, 7, 5), 1, count, sharers);
        }
}

TEST(SumParts, MergedGroups)
{
    for(const index_t sharers : {1, 8})
    {
        expect_right(problem(8, 4, 4), 4, 9, sharers);
        expect_right(problem(6, 3, 2), 2, 9, sharers);
    }
}

} // namespace
} // namespace ck::grid
