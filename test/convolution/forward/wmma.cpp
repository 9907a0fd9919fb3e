// WMMA of both generations.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_wmma(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning f16_gfx11 =
        tuning_of(wmma_gfx11_f32_16x16x16_f16, {64, 32, 32}, 32, 32, {8, 8, 4}, double_buffer);
    add<half_t, f16_gfx11>(all, "wmma_gfx11_f16");
    constexpr GemmTuning bf16_gfx11 = tuning_of(wmma_gfx11_f32_16x16x16_bf16,
                                                {32, 32, 32},
                                                16,
                                                32,
                                                {1, 1, 1},
                                                single_buffer,
                                                Reduction::merged);
    add<bhalf_t, bf16_gfx11>(all, "wmma_gfx11_bf16");
    constexpr GemmTuning f16_gfx12 = tuning_of(wmma_gfx12_f32_16x16x16_f16,
                                               {32, 32, 32},
                                               16,
                                               32,
                                               {1, 1, 1},
                                               single_buffer,
                                               Reduction::merged);
    add<half_t, f16_gfx12>(all, "wmma_gfx12_f16");
    constexpr GemmTuning bf16_gfx12 =
        tuning_of(wmma_gfx12_f32_16x16x16_bf16, {32, 64, 32}, 32, 32, {4, 4, 2}, single_buffer);
    add<bhalf_t, bf16_gfx12>(all, "wmma_gfx12_bf16");
}

} // namespace ck::test
