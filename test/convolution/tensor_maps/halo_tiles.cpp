// Forward and backward data from halo tiles, with filters that stay in shared memory.
//
// Labels: not on AMD
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::halo_tiles {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

/// channels: of a line.
constexpr GemmTuning
halo_tuning(arch::Matrix id, index_t m, index_t wave_m, index_t n, index_t channels)
{
    GemmTuning t   = map_tuning(id, m, n, 2);
    t.wave_m       = wave_m;
    t.block_tile.k = channels;
    t.pipeline     = Pipeline::halo_tiles;
    return t;
}

TEST(HaloTiles, forward)
{
    const auto run = [](const ConvProblem& p) {
        return expect_right<ForwardDirection,
                            half_t,
                            halo_tuning(wgmma_f32_16x8x16_f16, 256, 32, 64, 64)>(p);
    };
    for_problems({std::mt19937(1)}, 5, run, "halo tile");
}

TEST(HaloTiles, forward_in_lines_of_32_channels)
{
    const auto run = [](const ConvProblem& p) {
        return expect_right<ForwardDirection,
                            bhalf_t,
                            halo_tuning(wgmma_f32_16x8x16_bf16, 128, 16, 32, 32)>(p);
    };
    for_problems({std::mt19937(2)}, 5, run, "halo tile");
}

TEST(HaloTiles, backward_data)
{
    const auto run = [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection,
                            half_t,
                            halo_tuning(wgmma_f32_16x8x16_f16, 128, 32, 128, 64)>(p);
    };
    for_problems({std::mt19937(3)}, 5, run, "halo tile");
}

TEST(HaloTiles, backward_data_in_lines_of_32_channels)
{
    const auto run = [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection,
                            bhalf_t,
                            halo_tuning(wgmma_f32_16x8x16_bf16, 256, 32, 32, 32)>(p);
    };
    for_problems({std::mt19937(4)}, 5, run, "halo tile");
}

constexpr GemmTuning two_pixels = [] {
    GemmTuning t  = halo_tuning(wgmma_f32_16x8x16_f16, 256, 32, 64, 32);
    t.halo.pixels = 2;
    return t;
}();

Support run_two_pixels(const ConvProblem& p)
{
    return expect_right<ForwardDirection, half_t, two_pixels>(p);
}

TEST(HaloTiles, forward_in_lines_of_two_pixels)
{
    const auto run = [](const ConvProblem& drawn) {
        ConvProblem p = drawn;
        p.in_channels = 32;
        p.stride[2]   = 2;
        p.input[2] += p.input[2] % 2;
        set_packed_strides(p);
        return run_two_pixels(p);
    };
    for_problems({std::mt19937(5)}, 5, run, "halo tile");
}

TEST(HaloTiles, lines_of_two_pixels_are_refused)
{
    ConvProblem p;
    p.rank         = 1;
    p.in_channels  = 32;
    p.out_channels = 64;
    p.input[2]     = 128;
    p.filter[2]    = 3;
    p.stride[2]    = 2;
    const auto why = [&] {
        set_packed_strides(p);
        return run_two_pixels(p).reason;
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, why());
    EXPECT_EQ(why(), "");
    p.input[2] = 127;
    EXPECT_EQ(why(), "rows of 127 pixels are no whole lines of 2");
    p.input[2]    = 128;
    p.in_channels = 16;
    EXPECT_EQ(why(),
              "16 channels of 2 pixels side by side are no line of this kernel's, which has 32 of "
              "each");
    p.in_channels = 32;
    set_packed_strides(p);
    p.input_strides[5] = 40;
    p.input_strides[1] = 40 * 128;
    EXPECT_EQ(run_two_pixels(p).reason,
              "pixels are 40 elements apart, but in this kernel's lines, side by side, 32");
    p.stride[2] = 1;
    EXPECT_EQ(why(),
              "windows along w are not as many pixels apart as a line has, for this kernel's halo "
              "tiles");
}

} // namespace
} // namespace ck::test::halo_tiles
