// Depthwise windows and first layers: padding is multiplied, and nothing else.
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"
#include "tables/dl.hpp"
#include "tables/first_layer.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

constexpr GemmTuning window(Direction direction, Window of)
{
    return tables::sliding_window(direction, dot_f32_8x4x1_f32, of, 1);
}

std::vector<ConvProblem> of_3x3(long_index_t stride)
{
    return {make_packed_problem<2>(
        4, 2, 1, 1, {3, 3}, {5, 6}, {stride, stride}, {1, 1}, {2, 1}, {1, 2})};
}
std::vector<ConvProblem> of_4()
{
    return {make_packed_problem<1>(4, 2, 1, 1, {4}, {9}, {1}, {1}, {3}, {0})};
}

TEST(NonFiniteWindows, Forward)
{
    check<ForwardDirection, float, window(Direction::forward, {3, 3, 1, 4, 2, 3})>(of_3x3(1));
    check<ForwardDirection, float, window(Direction::forward, {3, 3, 2, 2, 2, 3})>(of_3x3(2));
    check<ForwardDirection, float, window(Direction::forward, {4, 1, 1, 1, 2, 4})>(of_4());
}
TEST(NonFiniteWindows, BackwardData)
{
    check<BackwardDataDirection, float, window(Direction::backward_data, {3, 3, 1, 4, 2, 3})>(
        of_3x3(1));
    check<BackwardDataDirection, float, window(Direction::backward_data, {4, 1, 1, 1, 2, 4})>(
        of_4());
}
TEST(NonFiniteWindows, BackwardWeight)
{
    check_weight<float, window(Direction::backward_weight, {3, 3, 1, 4, 2, 3})>(of_3x3(1));
    check_weight<float, window(Direction::backward_weight, {3, 3, 2, 2, 2, 2})>(of_3x3(2));
    check_weight<float, window(Direction::backward_weight, {4, 1, 1, 1, 2, 4})>(of_4());
}

TEST(NonFiniteFirstLayers, Forward)
{
    constexpr GemmTuning tuning =
        tables::first_layer(mma_f32_16x8x16_f16, {64, 32, 16}, 16, 32, 4, 9, 512, 1, 1);
    check<ForwardDirection, half_t, tuning>(
        {make_packed_problem<2>(1, 2, 32, 3, {3, 3}, {5, 7}, {2, 1}, {1, 1}, {2, 1}, {1, 2})});
}
TEST(NonFiniteFirstLayers, ForwardOfWholeRows)
{
    constexpr GemmTuning tuning =
        tables::first_layer_of_rows(mma_f32_16x8x16_f16, {64, 32, 32}, 16, 32, 8, 1, 512, 1);
    check<ForwardDirection, half_t, tuning>(
        {make_packed_problem<2>(1, 2, 32, 2, {3, 3}, {5, 7}, {2, 1}, {1, 1}, {2, 1}, {1, 2}),
         make_packed_problem<2>(1, 2, 32, 1, {2, 7}, {5, 9}, {1, 2}, {2, 1}, {2, 1}, {1, 2})});
}
#if !defined(CK_LANGUAGE_HIP)
/// Tiles of which dY has a part of a step's pixels, or none.
TEST(NonFiniteFirstLayers, BackwardWeight)
{
    constexpr GemmTuning four =
        tables::first_layer_weight(mma_f32_16x8x16_f16, {32, 32, 64}, 16, 2, 4, 400, 1, 1);
    constexpr GemmTuning eight =
        tables::first_layer_weight(mma_f32_16x8x16_bf16, {32, 72, 64}, 24, 1, 8, 400, 1, 1);
    check_weight<half_t, four>(
        {make_packed_problem<2>(1, 2, 32, 3, {3, 3}, {5, 7}, {2, 2}, {1, 1}, {2, 1}, {1, 3}),
         make_packed_problem<2>(1, 1, 40, 4, {2, 5}, {9, 40}, {3, 2}, {1, 1}, {0, 0}, {0, 0})});
    check_weight<bhalf_t, eight>(
        {make_packed_problem<2>(1, 2, 32, 5, {3, 3}, {5, 7}, {1, 1}, {1, 2}, {2, 1}, {1, 3}),
         make_packed_problem<2>(1, 1, 32, 3, {3, 3}, {6, 36}, {1, 1}, {1, 1}, {0, 0}, {0, 0})});
}
#endif

} // namespace
} // namespace ck::test
