// Forward and backward data from halo tiles beside filters that stay in shared memory.
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

} // namespace
} // namespace ck::test::halo_tiles
