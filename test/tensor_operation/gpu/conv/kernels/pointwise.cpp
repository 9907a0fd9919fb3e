// What the model sees of a pointwise launch, whose blocks go through many tiles each.
//
// Labels: not sanitized
#include "tables/pointwise.hpp"

#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

/// The cycles predicted for one compute unit and a number of images of 64x64, 8 to 8 channels.
template <arch::Matrix instruction>
double predicted(long_index_t images)
{
    using element_wise::PassThrough;
    using Types = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough>;
    using Operation =
        ConvOperation<ForwardDirection, Types, tables::pointwise(instruction, 16, 32, 32, 2)>;
    const AssumedComputeUnits one(1);
    typename Operation::Argument a{};
    a.problem =
        make_packed_problem<2>(1, images, 8, 8, {1, 1}, {64, 64}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    return Operation::predict(a);
}

// With few channels, the model expects the products to take longer than the memory.
TEST(ConvPointwise, ModelCountsTheTilesOfAllRounds)
{
    constexpr double least_of_16_pixels = 100, pixels = 64 * 64;
    for(const long_index_t images : {1, 16})
    {
        const double least = least_of_16_pixels * pixels / 16 * static_cast<double>(images);
        EXPECT_GT(predicted<arch::Matrix::mfma_f32_16x16x16_f16>(images), least);
        EXPECT_GT(predicted<arch::Matrix::wmma_gfx11_f32_16x16x16_f16>(images), least);
    }
}

} // namespace
} // namespace ck::tensor_operation::device
