// Dot products and multiply-add.
//
// Labels: optimized where sanitized
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_dl(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning f16 =
        tuning_of(dot_f32_8x4x2_f16, {32, 32, 32}, 16, 16, {8, 8, 4}, double_buffer);
    add<half_t, f16>(all, "dl_f16");
    constexpr GemmTuning bf16 =
        tuning_of(dot_f32_8x4x2_bf16, {32, 32, 16}, 16, 16, {2, 2, 1}, single_buffer);
    add<bhalf_t, bf16>(all, "dl_bf16");
    constexpr GemmTuning
        f32_few = tuning_of(
            dot_f32_8x4x1_f32, {32, 32, 16}, 16, 16, {1, 1, 1}, double_buffer, Reduction::merged),
        f32 = tuning_of(dot_f32_8x4x1_f32, {64, 64, 16}, 32, 16, {1, 1, 1}, single_buffer);
    add<float, f32_few, f32>(all, "dl_f32");
    constexpr GemmTuning
        f64_few = tuning_of(
            dot_f64_8x4x1_f64, {32, 32, 16}, 16, 16, {1, 1, 1}, double_buffer, Reduction::merged),
        f64 = tuning_of(dot_f64_8x4x1_f64, {64, 32, 8}, 32, 16, {2, 2, 2}, single_buffer);
    add<double, f64_few, f64>(all, "dl_f64");
}

} // namespace ck::test
