// Predicted times of forward convolutions of groups of a few channels.
//
// Labels: not sanitized, not emulated
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "tables/dl.hpp"

namespace ck::tensor_operation::device {
namespace {

using element_wise::PassThrough;

/// Clock cycles of many images of 64 groups of 8 channels, 56x56 pixels.
double cycles(index_t taps_y, index_t taps_x)
{
    using Operation =
        ConvOperation<ForwardDirection,
                      ConvTypes<float, float, float, PassThrough, PassThrough, PassThrough>,
                      tables::small_groups(arch::Matrix::dot_f32_8x4x1_f32, 8, 3, 7)>;
    const AssumedComputeUnits units(132);
    typename Operation::Argument a{};
    a.problem = make_packed_problem<2>(64,
                                       64,
                                       8,
                                       8,
                                       {taps_y, taps_x},
                                       {56, 56},
                                       {1, 1},
                                       {1, 1},
                                       {taps_y / 2, taps_x / 2},
                                       {taps_y / 2, taps_x / 2},
                                       PackedOrder::group_inside);
    EXPECT_EQ(Operation::supports(a).reason, "");
    return Operation::predict(a);
}

// Copies of filters to LDS and the division into blocks do not grow with the taps in both
// directions.
TEST(SmallGroupsTime, GrowsWithTheTaps)
{
    const double time = cycles(3, 3);
    for(const double more : {cycles(9, 3), cycles(3, 9)})
    {
        EXPECT_GT(more, 2.2 * time);
        EXPECT_LT(more, 3.2 * time);
    }
}

} // namespace
} // namespace ck::tensor_operation::device
