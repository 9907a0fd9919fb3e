// mma.sync of NVIDIA: f16, bf16, f64, and f32 data multiplied as tf32.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_mma(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning mma_f16_1 =
        tuning_of(mma_f32_16x8x16_f16, {64, 64, 32}, 32, 32, {8, 4, 8}, double_buffer);
    constexpr GemmTuning mma_f16_2 =
        tuning_of(mma_f32_16x8x16_f16, {32, 32, 16}, 32, 16, {1, 1, 1}, single_buffer);
    constexpr GemmTuning mma_f16_3 = tuning_of(
        mma_f32_16x8x16_f16, {64, 64, 32}, 32, 32, {8, 8, 8}, async_copies, Reduction::by_tap, 3);
    constexpr GemmTuning mma_f16_4 = tuning_of(
        mma_f32_16x8x16_f16, {32, 64, 16}, 16, 32, {4, 8, 1}, async_copies, Reduction::by_tap, 2);
    add<half_t, mma_f16_1, mma_f16_2, mma_f16_3, mma_f16_4>(all, "mma_f16");
    constexpr GemmTuning mma_bf16_1 =
        tuning_of(mma_f32_16x8x16_bf16, {64, 32, 32}, 16, 32, {4, 2, 2}, single_buffer);
    constexpr GemmTuning mma_bf16_2 =
        tuning_of(mma_f32_16x8x16_bf16, {64, 64, 64}, 32, 32, {8, 8, 4}, double_buffer);
    constexpr GemmTuning mma_bf16_3 = tuning_of(
        mma_f32_16x8x16_bf16, {64, 64, 16}, 32, 32, {8, 8, 4}, async_copies, Reduction::by_tap, 4);
    add<bhalf_t, mma_bf16_1, mma_bf16_2, mma_bf16_3>(all, "mma_bf16");
    constexpr GemmTuning mma_tf32_1 =
        tuning_of(mma_f32_16x8x8_tf32, {64, 64, 16}, 32, 32, {4, 2, 4}, double_buffer);
    constexpr GemmTuning mma_tf32_2 = tuning_of(
        mma_f32_16x8x8_tf32, {32, 32, 32}, 32, 16, {1, 1, 1}, single_buffer, Reduction::merged);
    add<float, mma_tf32_1, mma_tf32_2>(all, "mma_tf32");
    constexpr GemmTuning mma_f64 =
        tuning_of(mma_f64_8x8x4_f64, {64, 32, 16}, 32, 16, {2, 1, 1}, double_buffer);
    add<double, mma_f64>(all, "mma_f64");
    constexpr GemmTuning mma_f64_sm90 =
        tuning_of(mma_f64_16x8x8_f64, {32, 64, 8}, 16, 32, {2, 2, 2}, single_buffer);
    add<double, mma_f64_sm90>(all, "mma_f64_sm90");
}

} // namespace ck::test
