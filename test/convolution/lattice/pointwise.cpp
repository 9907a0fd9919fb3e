// 1x1 convolutions of few channels (conv/kernels/pointwise/kernel.hpp).
#include "tables/pointwise.hpp"

#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "devices.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

template <class T, GemmTuning tuning>
void check_tuning()
{
    constexpr index_t k = tuning.block_tile.k, n = tuning.block_tile.n;
    const InstanceOf<T, tuning> instance("pointwise");
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,
                    instance.refusal(one_tap_problem(1, 1, k, n, {1, 1})));
    for(const long_index_t depth : {k, k - tuning.a_vector, tuning.a_vector})
        for(const long_index_t columns :
            {n, n - tuning.c_vector, 2 * n + tuning.c_vector, tuning.c_vector})
            expect_right(instance, one_tap_problem(1, 2, depth, columns, {9, 5}));
    // several rounds of blocks and groups of their own; one pixel
    expect_right(instance, one_tap_problem(1, 7, k, n, {31, 37}));
    expect_right(instance, one_tap_problem(3, 2, k, n, {6, 7}));
    expect_right(instance, one_tap_problem(2, 3, k, n, {6, 7}, PackedOrder::group_first));
    expect_right(instance, one_tap_problem(1, 1, k, n, {1, 1}));
    expect_right(instance, one_tap_problem(1, 0, k, n, {4, 4})); // nothing
}

template <class T, arch::Matrix instruction, index_t k, index_t n, index_t pixels>
void check_pointwise()
{
    check_tuning<T, tables::pointwise(instruction, k, n, pixels, 1)>();
}

#if !defined(CK_LANGUAGE_HIP)
TEST(Pointwise, LastLayer)
{
    check_tuning<half_t, tables::pointwise_last(mma_f32_16x8x16_f16, 64, 16, 32, 1)>();
}
TEST(Pointwise, FewChannels) { check_pointwise<half_t, mma_f32_16x8x16_f16, 16, 16, 32>(); }
TEST(Pointwise, WideResult) { check_pointwise<bhalf_t, mma_f32_16x8x16_bf16, 16, 64, 32>(); }
TEST(Pointwise, WideOperand) { check_pointwise<half_t, mma_f32_16x8x16_f16, 96, 32, 16>(); }
TEST(Pointwise, WideVectors) { check_pointwise<bhalf_t, mma_f32_16x8x16_bf16, 32, 96, 32>(); }
#endif
#if !defined(CK_LANGUAGE_CUDA)
TEST(Pointwise, Mfma) { check_pointwise<half_t, mfma_f32_16x16x16_f16, 32, 16, 32>(); }
TEST(Pointwise, MfmaOfBf16) { check_pointwise<bhalf_t, mfma_f32_16x16x16_bf16_1k, 16, 64, 64>(); }
TEST(Pointwise, MfmaOfGfx950) { check_pointwise<half_t, mfma_f32_16x16x32_f16, 96, 32, 16>(); }
TEST(Pointwise, WmmaOfGfx11) { check_pointwise<half_t, wmma_gfx11_f32_16x16x16_f16, 32, 16, 32>(); }
TEST(Pointwise, WmmaOfGfx12)
{
    check_pointwise<bhalf_t, wmma_gfx12_f32_16x16x16_bf16, 16, 64, 32>();
}
#endif

TEST(Pointwise, IsRefusedElsewhere)
{
#if defined(CK_LANGUAGE_HIP)
    constexpr arch::Matrix instruction = mfma_f32_16x16x16_f16;
#else
    constexpr arch::Matrix instruction = mma_f32_16x8x16_f16;
#endif
    constexpr GemmTuning tuning = tables::pointwise(instruction, 32, 32, 32, 1);
    const InstanceOf<half_t, tuning> instance("pointwise");
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,
                    instance.refusal(one_tap_problem(1, 1, 32, 32, {1, 1})));
    const auto problem =
        [](std::array<long_index_t, 2> filter, long_index_t stride, long_index_t pad) {
            return make_packed_problem<2>(
                1, 1, 8, 8, {filter[0], filter[1]}, {8, 8}, {stride, 1}, {1, 1}, {0, pad}, {0, 0});
        };
    expect_refusal(
        instance,
        problem({1, 3}, 1, 0),
        "along W the filter has 3 taps, stride 1 and padding 0 and 0, but this kernel is "
        "for one tap, stride 1 and no padding");
    expect_refusal(instance, problem({1, 1}, 2, 0), "along H the filter has 1 taps, stride 2");
    expect_refusal(instance, problem({1, 1}, 1, 1), "padding 1 and 0");
    expect_refusal(instance,
                   one_tap_problem(1, 1, 40, 8, {4, 4}),
                   "the sum is over 40 channels, but this kernel holds at most 32");
    ConvProblem gaps = one_tap_problem(1, 2, 8, 8, {4, 4});
    gaps.input_strides[4] += 8; // between rows
    gaps.input_strides[1] += 4 * 8;
    expect_refusal(instance, gaps, "this kernel is for pixels that are evenly spaced");
}

} // namespace
} // namespace ck::test
