// Depthwise convolutions by sliding windows.
#include "convolution/lattice/windows.hpp"

#include "convolution/backward_data/instance.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

template <class T, Window window, arch::Matrix instruction>
void check()
{
    check_windows_of<InstanceOf, ck::Direction::backward_data, T, window, instruction>();
}

TEST(Windows, ThreeByThree) { check<half_t, Window{3, 3, 1, 4, 2}, dot_f32_8x4x2_f16>(); }
TEST(Windows, FiveByFive) { check<bhalf_t, Window{5, 5, 1, 4, 2}, dot_f32_8x4x2_bf16>(); }
TEST(Windows, SevenBySeven) { check<float, Window{7, 7, 1, 2, 4}, dot_f32_8x4x1_f32>(); }
TEST(Windows, FourPixels) { check<half_t, Window{4, 1, 1, 1, 8}, dot_f32_8x4x2_f16>(); }
TEST(Windows, AreRefusedElsewhere)
{
    constexpr GemmTuning tuning =
        window_tuning(ck::Direction::backward_data, {3, 3, 1, 4, 2}, dot_f32_8x4x2_f16);
    check_window_refusals(InstanceOf<half_t, tuning>("window"));
}

} // namespace
} // namespace ck::test
