// The models of WMMA's kernels for few channels, compared with the times that the emulator's timing
// model predicts: forward, f16. They are predictions, too: docs/notes/amd_predicted_times.md.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"

#include <gtest/gtest.h>

#include "tables/wmma.hpp"
#include <array>
#include <cmath>

namespace ck::tensor_operation::device::wmma_time {
namespace {

/// A row as in library/src/tables/wmma.hpp.
constexpr GemmTuning row(Tile tile, index_t wave_m, index_t wave_n, arch::Matrix instruction)
{
    return {.block_tile  = tile,
            .wave_m      = wave_m,
            .wave_n      = wave_n,
            .instruction = instruction,
            .a_vector    = 8,
            .b_vector    = 8,
            .c_vector    = 8};
}
constexpr std::size_t row_count = 3;
constexpr std::array<GemmTuning, row_count> rows_of(arch::Matrix i)
{
    return {row({128, 128, 32}, 64, 32, i),
            row({128, 64, 32}, 64, 32, i),
            row({64, 64, 32}, 32, 32, i)};
}
struct Device
{
    index_t units;
    std::array<GemmTuning, row_count> rows;
};
constexpr Device devices[]{{48, rows_of(arch::Matrix::wmma_gfx11_f32_16x16x16_f16)},
                           {16, rows_of(arch::Matrix::wmma_gfx12_f32_16x16x16_f16)}};

/// A 1x1 layer by a row for any problem.
double predict(const GemmTuning& t, double n, double k, double c, double size, index_t units)
{
    const double pixels = n * size * size;
    LaunchShape shape{std::ceil(pixels / t.block_tile.m) * std::ceil(k / t.block_tile.n),
                      std::ceil(c / t.block_tile.k),
                      2 * (pixels * (c + k) + k * c),
                      0};
    shape.runs          = 1;
    shape.written_bytes = 2 * pixels * k;
    return predicted_wmma_time(t, shape, units);
}

/// 1x1: a row of tables::wmma_pointwise takes these cycles. Rows of GEMMs are predicted to take
/// more.
struct PointwiseTimed
{
    std::size_t device;
    double n, c, k, size, cycles;
    std::size_t row;
};
constexpr PointwiseTimed pointwise_problems[]{
    {0, 128, 16, 16, 112, 263637, 0},
    {0, 128, 16, 64, 112, 666026, 1},
    {0, 128, 32, 32, 112, 531490, 2},
    {0, 128, 48, 48, 56, 207425, 6},
    {0, 128, 64, 24, 56, 185007, 5},
    {0, 128, 24, 72, 56, 235606, 4},
    {0, 128, 72, 24, 56, 203720, 7},
    {0, 128, 24, 144, 56, 461484, 4},
    {1, 32, 16, 16, 112, 245107, 0},
    {1, 32, 24, 72, 56, 218732, 4},
    {1, 32, 64, 24, 56, 172540, 5},
    {1, 32, 72, 24, 56, 189726, 7},
};

TEST(WmmaTime, IsRightAboutPointwiseKernels)
{
    const auto& of_gfx11 = tables::wmma_pointwise<arch::Matrix::wmma_gfx11_f32_16x16x16_f16>;
    const auto& of_gfx12 = tables::wmma_pointwise<arch::Matrix::wmma_gfx12_f32_16x16x16_f16>;
    for(const PointwiseTimed& p : pointwise_problems)
    {
        const GemmTuning& t  = p.device == 0 ? of_gfx11[p.row] : of_gfx12[p.row];
        const double columns = std::ceil(p.k / t.block_tile.n), pixels = p.n * p.size * p.size,
                     predicted = predicted_wmma_time(
                         t,
                         PointwiseLaunch{std::ceil(pixels / t.block_tile.m) * columns,
                                         columns,
                                         2 * pixels * (p.c + p.k),
                                         2 * pixels * p.c},
                         devices[p.device].units);
        EXPECT_NEAR(std::log(predicted / p.cycles), 0, std::log(1.25))
            << "device " << p.device << " c " << p.c << " k " << p.k << " size " << p.size;
        for(const GemmTuning& other : devices[p.device].rows)
            EXPECT_LT(predicted, predict(other, p.n, p.k, p.c, p.size, devices[p.device].units));
    }
}

/// A row of first layers on gfx1200, what it is launched with, and the cycles that it takes. The
/// problem: C's pixels and columns, and the depth of its sums, taps times channels; cycles of the
/// fastest row of merged taps and channels.
struct FirstLayerTimed
{
    GemmTuning tuning;
    FirstLayerLaunch launch;
    double cycles;
    std::size_t merged; ///< index in tables::few_channels
    double pixels, columns, depth, merged_cycles;
};
constexpr arch::Matrix of_gfx12 = arch::Matrix::wmma_gfx12_f32_16x16x16_f16;
constexpr GemmTuning deep       = tables::wmma_first_layers<of_gfx12>[0],
                     wide       = tables::wmma_first_layers<of_gfx12>[1];
constexpr FirstLayerTimed first_layers[]{
    // 8 and 4 images of 224x224, 3 and 4 to 64 channels, 7x7, stride 2
    {wide, {392, 13, 2, 7, 1369, 15272320}, 207696, 2, 100352, 64, 147, 264700},
    {wide, {196, 7, 2, 7, 1369, 8053248}, 113306, 3, 50176, 64, 196, 118800},
    // one of them
    {wide, {49, 2, 2, 7, 1369, 1925504}, 37174, 2, 12544, 64, 147, 41500},
    // 2 images of 224x224, 3 to 64 channels, 3x3
    {deep, {392, 13, 2, 3, 324, 13450624}, 128645, 2, 100352, 64, 27, 131400},
    // an image of 16x112x112, 3 to 64 channels, 3x3x3
    {deep, {784, 25, 2, 9, 972, 26904704}, 274771, 2, 200704, 64, 81, 350700},
    // 8 images of 224x224, 3 to 32 channels, 3x3, stride 2
    {deep, {392, 13, 2, 3, 1089, 8832704}, 166502, 2, 100352, 32, 27, 104557},
};

TEST(WmmaTime, IsRightAboutFirstLayers)
{
    constexpr index_t units = 16;
    for(std::size_t i = 0; i < std::size(first_layers); ++i)
    {
        const FirstLayerTimed& l = first_layers[i];
        const double predicted   = predicted_wmma_time(l.tuning, l.launch, units);
        EXPECT_NEAR(std::log(predicted / l.cycles), 0, std::log(1.2)) << "line " << i;
        const GemmTuning t = tables::few_channels(of_gfx12, 8)[l.merged];
        const double tiles =
            std::ceil(l.pixels / t.block_tile.m) * std::ceil(l.columns / t.block_tile.n);
        const double merged = predicted_wmma_time(
            t, LaunchShape{tiles, std::ceil(l.depth / t.block_tile.k), l.launch.bytes, 0}, units);
        EXPECT_EQ(predicted < merged, l.cycles < l.merged_cycles) << "line " << i;
    }
}

} // namespace
} // namespace ck::tensor_operation::device::wmma_time
