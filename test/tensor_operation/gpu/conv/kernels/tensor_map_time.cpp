// Predicted times of forward convolutions by tensor maps.
//
// Labels: not sanitized, not emulated
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "tables/wgmma.hpp"

namespace ck::tensor_operation::device {
namespace {

using element_wise::PassThrough;

/// Clock cycles of 1x1 with 1024 channels, on a few compute units, which memory does not slow down,
/// in tiles so thin that copies take longer than products. pixel: elements from one of X to the
/// next.
double cycles_of_pointwise(long_index_t pixel)
{
    constexpr long_index_t channels = 1024;
    using Operation =
        ConvOperation<ForwardDirection,
                      ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough>,
                      tables::wgmma<Direction::forward, arch::Matrix::wgmma_f32_16x8x16_f16>[5]>;
    const AssumedComputeUnits units(4);
    typename Operation::Argument a{};
    a.problem = make_packed_problem<2>(1,
                                       64,
                                       64,
                                       channels,
                                       {1, 1},
                                       {56, 56},
                                       {1, 1},
                                       {1, 1},
                                       {0, 0},
                                       {0, 0},
                                       PackedOrder::group_inside);
    for(const std::size_t dimension : {1, 3, 4, 5})
        a.problem.input_strides[dimension] = a.problem.input_strides[dimension] / channels * pixel;
    EXPECT_EQ(Operation::supports(a).reason, "");
    return Operation::predict(a);
}

// Copies of pixels that begin within a sector of L2 (32 bytes) take longer.
TEST(TensorMapTime, CountsSectorsThatPixelsShare)
{
    const double packed = cycles_of_pointwise(1024);
    EXPECT_EQ(cycles_of_pointwise(2048), packed);
    EXPECT_GT(cycles_of_pointwise(1032), 1.2 * packed);
}

} // namespace
} // namespace ck::tensor_operation::device
