// Forward and backward data.
//
// Labels: not on AMD
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::one_launch {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

/// Warps of two instructions' rows each; most of a tile waits in registers until the next one.
constexpr GemmTuning deferred = [] {
    GemmTuning t = map_tuning(wgmma_f32_16x8x16_f16, 256, 96, 3);
    t.wave_m     = 32;
    return t;
}();
static_assert(defers_stores(deferred));

TEST(TensorMaps, forward)
{
    for_problems({std::mt19937(1)}, epilogues, [](const ConvProblem& p) {
        return expect_right<ForwardDirection, half_t, deferred>(p);
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

/// Tiles of 96 columns, whose last box of 64 is cut: half of it belongs to the next tile.
TEST(TensorMaps, backward_data_of_cut_boxes)
{
    for_problems({std::mt19937(12)}, 6, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection,
                            half_t,
                            map_tuning(wgmma_f32_16x8x16_f16, 64, 96, 2)>(p);
    });
}

/// With a filter of one element and stride 2 only the first of the phases has a tap.
TEST(TensorMaps, backward_data_of_phases_without_taps)
{
    for_problems({.random = std::mt19937(9), .most_taps = 1}, 6, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection,
                            half_t,
                            map_tuning(wgmma_f32_16x8x16_f16, 64, 64, 3)>(p);
    });
}

} // namespace
} // namespace ck::test::one_launch
