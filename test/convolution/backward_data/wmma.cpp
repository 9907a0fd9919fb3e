// WMMA of gfx11 and of gfx12, whose registers differ.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_wmma(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning wmma_gfx11_f16_1 =
        tuning_of(wmma_gfx11_f32_16x16x16_f16, {64, 64, 32}, 32, 32, {8, 4, 8}, double_buffer);
    constexpr GemmTuning wmma_gfx11_f16_2 =
        tuning_of(wmma_gfx11_f32_16x16x16_f16, {32, 32, 16}, 16, 32, {1, 1, 1}, single_buffer);
    add<half_t, wmma_gfx11_f16_1, wmma_gfx11_f16_2>(all, "wmma_gfx11_f16");
    constexpr GemmTuning wmma_gfx11_bf16_1 =
        tuning_of(wmma_gfx11_f32_16x16x16_bf16, {32, 64, 32}, 32, 32, {4, 2, 2}, single_buffer);
    add<bhalf_t, wmma_gfx11_bf16_1>(all, "wmma_gfx11_bf16");
    constexpr GemmTuning wmma_gfx12_f16_1 =
        tuning_of(wmma_gfx12_f32_16x16x16_f16, {64, 64, 32}, 32, 32, {8, 4, 8}, single_buffer);
    constexpr GemmTuning wmma_gfx12_f16_2 = tuning_of(wmma_gfx12_f32_16x16x16_f16,
                                                      {32, 32, 16},
                                                      32,
                                                      16,
                                                      {2, 1, 1},
                                                      double_buffer,
                                                      Reduction::merged);
    add<half_t, wmma_gfx12_f16_1, wmma_gfx12_f16_2>(all, "wmma_gfx12_f16");
    constexpr GemmTuning wmma_gfx12_bf16_1 =
        tuning_of(wmma_gfx12_f32_16x16x16_bf16, {64, 32, 32}, 32, 32, {1, 2, 4}, double_buffer);
    add<bhalf_t, wmma_gfx12_bf16_1>(all, "wmma_gfx12_bf16");
}

} // namespace ck::test
