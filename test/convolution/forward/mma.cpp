// mma.sync.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_mma(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning
        f16_async = tuning_of(mma_f32_16x8x16_f16, {64, 64, 32}, 32, 32, {8, 8, 8}, async_copies),
        f16_few   = tuning_of(
            mma_f32_16x8x16_f16, {32, 32, 16}, 32, 16, {1, 1, 1}, double_buffer, Reduction::merged);
    add<half_t, f16_few, f16_async>(all, "mma_f16");
    constexpr GemmTuning bf16 =
        tuning_of(mma_f32_16x8x16_bf16, {64, 32, 32}, 16, 32, {4, 4, 2}, single_buffer);
    add<bhalf_t, bf16>(all, "mma_bf16");
    constexpr GemmTuning tf32 =
        tuning_of(mma_f32_16x8x8_tf32, {64, 64, 16}, 32, 32, {4, 4, 4}, double_buffer);
    add<float, tf32>(all, "mma_tf32");
    constexpr GemmTuning f64 =
        tuning_of(mma_f64_8x8x4_f64, {64, 32, 16}, 32, 16, {2, 2, 2}, async_copies);
    add<double, f64>(all, "mma_f64");
    constexpr GemmTuning f64_sm90 =
        tuning_of(mma_f64_16x8x8_f64, {64, 64, 16}, 32, 32, {2, 2, 1}, double_buffer);
    add<double, f64_sm90>(all, "mma_f64_sm90");
}

} // namespace ck::test
