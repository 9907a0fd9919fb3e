// Dot products and FMA: every device has them.
//
// Labels: optimized where sanitized
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_dl(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning dl_f16_1 =
        tuning_of(dot_f32_8x4x2_f16, {64, 64, 32}, 32, 32, {8, 4, 4}, single_buffer);
    constexpr GemmTuning dl_f16_2 = tuning_of(
        dot_f32_8x4x2_f16, {32, 32, 16}, 16, 16, {2, 1, 1}, double_buffer, Reduction::merged);
    add<half_t, dl_f16_2, dl_f16_1>(all, "dl_f16");
    constexpr GemmTuning dl_bf16_1 =
        tuning_of(dot_f32_8x4x2_bf16, {32, 64, 32}, 32, 16, {4, 2, 2}, double_buffer);
    add<bhalf_t, dl_bf16_1>(all, "dl_bf16");
    constexpr GemmTuning dl_f32_1 =
        tuning_of(dot_f32_8x4x1_f32, {64, 64, 16}, 32, 16, {4, 4, 4}, double_buffer);
    constexpr GemmTuning dl_f32_2 =
        tuning_of(dot_f32_8x4x1_f32, {32, 32, 8}, 16, 16, {1, 1, 1}, single_buffer);
    add<float, dl_f32_2, dl_f32_1>(all, "dl_f32");
    constexpr GemmTuning dl_f64_1 =
        tuning_of(dot_f64_8x4x1_f64, {64, 32, 8}, 32, 16, {2, 2, 2}, double_buffer);
    add<double, dl_f64_1>(all, "dl_f64");
}

} // namespace ck::test
