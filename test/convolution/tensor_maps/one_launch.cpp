// Forward and backward data.
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

TEST(TensorMaps, forward)
{
    for_problems({std::mt19937(1)}, 8, [](const ConvProblem& p) {
        return expect_right<ForwardDirection,
                            half_t,
                            map_tuning(wgmma_f32_16x8x16_f16, 128, 64, 3)>(p);
    });
}

TEST(TensorMaps, backward_data)
{
    for_problems({std::mt19937(2)}, 8, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection,
                            bhalf_t,
                            map_tuning(wgmma_f32_16x8x16_bf16, 64, 128, 2)>(p);
    });
}

} // namespace
} // namespace ck::test
