// MFMA: both forms of each type. For bf16: the instructions of gfx908, those of its successors with
// twice the depth, and those of gfx950.
//
// Labels: emulated on newest targets
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_xdl(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning xdl_f16_1 =
        tuning_of(mfma_f32_32x32x8_f16, {64, 64, 32}, 32, 32, {8, 4, 8}, double_buffer);
    constexpr GemmTuning xdl_f16_2 =
        tuning_of(mfma_f32_32x32x8_f16, {32, 64, 16}, 32, 32, {1, 1, 1}, single_buffer);
    constexpr GemmTuning xdl_f16_3 =
        tuning_of(mfma_f32_16x16x16_f16, {64, 32, 32}, 32, 16, {4, 2, 2}, single_buffer);
    constexpr GemmTuning xdl_f16_4 =
        tuning_of(mfma_f32_16x16x16_f16, {32, 64, 64}, 16, 32, {8, 8, 4}, double_buffer);
    add<half_t, xdl_f16_1, xdl_f16_2, xdl_f16_3, xdl_f16_4>(all, "xdl_f16");
    // rows of 128 bytes, whose packs are turned in LDS
    constexpr GemmTuning lines =
        tuning_of(mfma_f32_32x32x8_f16, {64, 64, 64}, 32, 32, {8, 4, 8}, single_buffer);
    add<half_t, lines>(all, "xdl_f16");
    constexpr GemmTuning xdl_bf16_gfx908_1 =
        tuning_of(mfma_f32_32x32x4_bf16, {64, 64, 32}, 32, 32, {8, 2, 4}, single_buffer);
    constexpr GemmTuning xdl_bf16_gfx908_2 =
        tuning_of(mfma_f32_16x16x8_bf16, {32, 32, 64}, 16, 16, {2, 1, 1}, double_buffer);
    add<bhalf_t, xdl_bf16_gfx908_1, xdl_bf16_gfx908_2>(all, "xdl_bf16_gfx908");
    constexpr GemmTuning xdl_bf16_1k_1 =
        tuning_of(mfma_f32_32x32x8_bf16_1k, {64, 64, 32}, 32, 64, {4, 8, 8}, double_buffer);
    constexpr GemmTuning xdl_bf16_1k_2 = tuning_of(mfma_f32_16x16x16_bf16_1k,
                                                   {64, 32, 32},
                                                   32,
                                                   32,
                                                   {1, 1, 1},
                                                   single_buffer,
                                                   Reduction::merged);
    add<bhalf_t, xdl_bf16_1k_1, xdl_bf16_1k_2>(all, "xdl_bf16_1k");
    constexpr GemmTuning gfx950 =
        tuning_of(mfma_f32_16x16x32_bf16, {64, 32, 32}, 32, 16, {8, 4, 4}, double_buffer);
    add<bhalf_t, gfx950>(all, "xdl_gfx950");
    // Filters lie along their rows: lines of 256 bytes, and of 128.
    constexpr GemmTuning to_lds =
        tuning_of(mfma_f32_32x32x16_bf16, {64, 128, 32}, 32, 64, {8, 8, 8}, async_copies);
    add<bhalf_t, to_lds>(all, "xdl_gfx950_to_lds");
    constexpr GemmTuning deep = tuning_of(mfma_f32_16x16x32_bf16,
                                          {64, 64, 64},
                                          32,
                                          32,
                                          {8, 8, 8},
                                          async_copies,
                                          Reduction::by_tap,
                                          4);
    add<bhalf_t, deep>(all, "xdl_gfx950_deep");
    constexpr GemmTuning xdl_f32_1 =
        tuning_of(mfma_f32_32x32x2_f32, {64, 64, 16}, 32, 32, {4, 4, 4}, single_buffer);
    constexpr GemmTuning xdl_f32_2 =
        tuning_of(mfma_f32_32x32x2_f32, {32, 64, 16}, 32, 32, {1, 2, 1}, double_buffer);
    constexpr GemmTuning xdl_f32_3 =
        tuning_of(mfma_f32_16x16x4_f32, {64, 32, 32}, 16, 32, {2, 1, 2}, double_buffer);
    add<float, xdl_f32_1, xdl_f32_2, xdl_f32_3>(all, "xdl_f32");
    constexpr GemmTuning xdl_f64 =
        tuning_of(mfma_f64_16x16x4_f64, {64, 32, 16}, 32, 16, {2, 2, 2}, single_buffer);
    add<double, xdl_f64>(all, "xdl_f64");
}

} // namespace ck::test
