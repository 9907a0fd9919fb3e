// Dot products and multiply-add.
#include "convolution/forward/instance.hpp"

namespace ck::test {

void add_dl(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning f16 =
        tuning_of(dot_f32_8x4x2_f16, {32, 32, 32}, 16, 16, 8, 4, double_buffer);
    add<half_t, f16>(all, "dl_f16");
    constexpr GemmTuning bf16 =
        tuning_of(dot_f32_8x4x2_bf16, {32, 32, 16}, 16, 16, 2, 1, single_buffer);
    add<bhalf_t, bf16>(all, "dl_bf16");
    constexpr GemmTuning
        f32_few = tuning_of(
            dot_f32_8x4x1_f32, {32, 32, 16}, 16, 16, 1, 1, double_buffer, Reduction::merged),
        f32 = tuning_of(dot_f32_8x4x1_f32, {64, 64, 16}, 32, 16, 1, 1, single_buffer);
    add<float, f32_few, f32>(all, "dl_f32");
}

} // namespace ck::test
