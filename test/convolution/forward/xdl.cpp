// MFMA.
//
// Labels: emulated on newest targets
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

void add_xdl(Instances& all)
{
    using enum arch::Matrix;
    using enum Pipeline;
    constexpr GemmTuning f16_wide = tuning_of(
                             mfma_f32_32x32x8_f16, {64, 64, 32}, 32, 32, {8, 8, 8}, double_buffer),
                         f16_few = tuning_of(mfma_f32_16x16x16_f16,
                                             {32, 32, 32},
                                             16,
                                             32,
                                             {1, 1, 1},
                                             single_buffer,
                                             Reduction::merged);
    add<half_t, f16_few, f16_wide>(all, "xdl_f16");
    // rows of 128 bytes, whose packs are turned in LDS
    constexpr GemmTuning lines =
        tuning_of(mfma_f32_32x32x8_f16, {96, 64, 64}, 96, 32, {8, 8, 8}, single_buffer);
    add<half_t, lines>(all, "xdl_f16");
    constexpr GemmTuning bf16_gfx908 =
        tuning_of(mfma_f32_32x32x4_bf16, {32, 64, 32}, 32, 32, {4, 4, 2}, single_buffer);
    add<bhalf_t, bf16_gfx908>(all, "xdl_bf16_gfx908");
    constexpr GemmTuning bf16 =
        tuning_of(mfma_f32_16x16x16_bf16_1k, {64, 32, 32}, 32, 16, {4, 4, 4}, double_buffer);
    add<bhalf_t, bf16>(all, "xdl_bf16_1k");
    constexpr GemmTuning gfx950 =
        tuning_of(mfma_f32_32x32x16_f16, {64, 64, 32}, 32, 32, {8, 8, 8}, double_buffer);
    add<half_t, gfx950>(all, "xdl_gfx950");
    constexpr GemmTuning to_lds =
        tuning_of(mfma_f32_32x32x16_f16, {128, 64, 32}, 64, 32, {8, 8, 8}, async_copies);
    add<half_t, to_lds>(all, "xdl_gfx950_to_lds");
    // slices of 128 bytes, in four stages
    constexpr GemmTuning deep = tuning_of(
        mfma_f32_16x16x32_f16, {64, 64, 64}, 32, 32, {8, 8, 8}, async_copies, Reduction::by_tap, 4);
    add<half_t, deep>(all, "xdl_gfx950_deep");
    constexpr GemmTuning f32 =
        tuning_of(mfma_f32_32x32x2_f32, {64, 64, 16}, 32, 32, {2, 2, 4}, single_buffer);
    add<float, f32>(all, "xdl_f32");
    constexpr GemmTuning f64 =
        tuning_of(mfma_f64_16x16x4_f64, {64, 64, 16}, 32, 32, {2, 2, 2}, double_buffer);
    add<double, f64>(all, "xdl_f64");
}

} // namespace ck::test
