// The models of MFMA's kernels for few channels, compared with the times that the emulator's timing
// model predicts: forward, f16. They are predictions, too: docs/notes/amd_predicted_times.md.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <gtest/gtest.h>

#include "tables/first_layer.hpp"
#include <array>
#include <cmath>

namespace ck::tensor_operation::device::mfma_time {
namespace {

/// A row as in library/src/tables/xdl.hpp.
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
constexpr std::array rows{row({256, 128, 32}, 128, 64, arch::Matrix::mfma_f32_32x32x8_f16),
                          row({128, 128, 32}, 64, 64, arch::Matrix::mfma_f32_32x32x8_f16),
                          row({128, 64, 32}, 64, 32, arch::Matrix::mfma_f32_32x32x8_f16),
                          row({64, 64, 32}, 32, 32, arch::Matrix::mfma_f32_32x32x8_f16),
                          row({64, 32, 64}, 32, 32, arch::Matrix::mfma_f32_16x16x16_f16)};

/// A 1x1 layer of 128 images by a row for any problem.
double predict(const GemmTuning& t, double c, double k, double size, index_t units)
{
    const double pixels = 128 * size * size, depth = std::ceil(c / t.block_tile.k);
    LaunchShape shape{std::ceil(pixels / t.block_tile.m) * std::ceil(k / t.block_tile.n),
                      depth,
                      2 * (pixels * (c + k) + k * c),
                      0};
    shape.runs          = 1;
    shape.written_bytes = 2 * pixels * k;
    shape.cache_bytes   = (t.block_tile.m + std::min<double>(t.block_tile.n, k)) *
                        std::max(machine::gfx942::cache::line, 2 * c / depth);
    const auto target = units == 104 ? arch::Target::gfx90a : arch::Target::gfx942;
    return predicted_mfma_time(t, shape, units, target);
}

TEST(MfmaTime, IsOfMfmaAlone)
{
    using enum arch::Matrix;
    for(const arch::Matrix i : {mfma_f32_32x32x8_f16, mfma_f32_32x32x16_f16, mfma_f64_16x16x4_f64})
        EXPECT_TRUE(is_mfma(row({64, 64, 32}, 32, 32, i)));
    for(const arch::Matrix i : {dot_f32_8x4x1_f32, mma_f32_16x8x16_f16, wgmma_f32_16x8x16_f16})
        EXPECT_FALSE(is_mfma(row({64, 64, 32}, 32, 32, i)));
}

/// 1x1 of 128 images, for which the pointwise row takes these cycles, and all others more.
struct PointwiseTimed
{
    index_t units;
    double c, k, size, cycles;
    Tile tile; ///< tile of the pointwise row
};
// gfx90a and gfx942
constexpr PointwiseTimed pointwise_problems[]{
    {104, 16, 16, 112, 155836, {256, 32, 16}},
    {104, 16, 64, 112, 257450, {256, 64, 16}},
    {104, 24, 144, 56, 173888, {256, 64, 32}},
    {104, 64, 24, 56, 89494, {256, 32, 64}},
    {304, 16, 16, 112, 55902, {256, 32, 16}},
    {304, 16, 64, 112, 89028, {256, 64, 16}},
    {304, 24, 144, 56, 65440, {256, 64, 32}},
    {304, 64, 24, 56, 29234, {256, 32, 64}},
    {304, 96, 24, 56, 41668, {128, 32, 96}},
};

TEST(MfmaTime, IsRightAboutPointwiseKernels)
{
    for(const PointwiseTimed& p : pointwise_problems)
    {
        const GemmTuning t   = row(p.tile, p.tile.m / 4, p.tile.n, rows[4].instruction);
        const double columns = std::ceil(p.k / p.tile.n), pixels = 128 * p.size * p.size,
                     predicted = predicted_mfma_time(t,
                                                     PointwiseLaunch{pixels / p.tile.m * columns,
                                                                     columns,
                                                                     2 * pixels * (p.c + p.k),
                                                                     2 * pixels * p.c},
                                                     p.units);
        EXPECT_NEAR(std::log(predicted / p.cycles), 0, std::log(4. / 3))
            << "c " << p.c << " k " << p.k << " size " << p.size;
        for(const GemmTuning& other : rows)
            EXPECT_LT(predicted, predict(other, p.c, p.k, p.size, p.units));
    }
}

/// 256 images of 28x28, 128 to 512 channels: the emulator predicts 150.5 us, which are these cycles
/// at 2100 MHz, and 77.9 us for a tile of 128x128.
TEST(MfmaTime, ColumnTilesOfPointwiseKernelsTakeLongerOnGfx942)
{
    const GemmTuning t  = row({128, 32, 160}, 32, 32, rows[4].instruction);
    const double pixels = 256. * 28 * 28, columns = 512. / 32;
    const PointwiseLaunch launch{
        pixels / 128 * columns, columns, 2 * pixels * (128 + 512), 2 * pixels * 128};
    const double predicted = predicted_mfma_time(t, launch, 304, arch::Target::gfx942);
    EXPECT_NEAR(std::log(predicted / 316000), 0, std::log(4. / 3));
    EXPECT_GT(predicted, 1.2 * predicted_mfma_time(t, launch, 304, arch::Target::gfx90a));
}

/// A row of first layers, what it is launched with, and the cycles that it takes.
struct FirstLayerTimed
{
    GemmTuning tuning;
    index_t units;
    FirstLayerLaunch launch;
    double cycles;
};
constexpr GemmTuning
first_layer(Tile tile, index_t filled, index_t rows, index_t pixels, index_t a_vector)
{
    return tables::first_layer(
        arch::Matrix::mfma_f32_16x16x16_f16, tile, 32, tile.n, filled, rows, pixels, a_vector, 1);
}
constexpr GemmTuning narrow     = first_layer({256, 32, 32}, 4, 7, 1408, 1),
                     wide       = first_layer({512, 64, 32}, 4, 7, 2816, 1),
                     small      = first_layer({256, 32, 16}, 4, 4, 1152, 1),
                     deep       = first_layer({256, 64, 16}, 4, 9, 1152, 1),
                     one_by_one = first_layer({256, 64, 32}, 8, 3, 1152, 1),
                     together   = first_layer({256, 64, 32}, 8, 3, 1152, 8);
// Two rows of each problem follow each other, first the one that is faster.
constexpr FirstLayerTimed first_layers[]{
    // 128 images of 224x224, 3 to 64 channels, 7x7, stride 2, on gfx942 and gfx90a
    {wide, 304, {3584, 12, 1, 7, 2553, 244074880}, 221956},
    {narrow, 304, {12544, 21, 2, 7, 1369, 244074880}, 296750},
    {wide, 104, {3584, 35, 1, 7, 2553, 244074880}, 841440},
    {narrow, 104, {12544, 61, 2, 7, 1369, 244074880}, 963251},
    // one of them
    {narrow, 304, {98, 1, 1, 7, 1369, 1925504}, 18040},
    {wide, 304, {28, 1, 1, 7, 2553, 1925504}, 32368},
    // 128 images of 224x224, 3 to 32 channels, 3x3, stride 2
    {small, 304, {6272, 7, 3, 3, 1089, 141297344}, 103836},
    {deep, 304, {6272, 11, 2, 3, 1089, 141297344}, 119606},
    // 32 images of 224x224, 3 to 64 channels, 3x3
    {deep, 304, {6272, 11, 2, 3, 324, 215158144}, 124844},
    {small, 304, {12544, 14, 3, 3, 324, 215158144}, 197491},
    // 64 images of 224x224, 8 to 64 channels, 3x3, stride 2
    {together, 304, {3136, 6, 2, 3, 1089, 154149888}, 84891},
    {one_by_one, 304, {3136, 6, 2, 3, 1089, 154149888}, 93484},
};

TEST(MfmaTime, IsRightAboutFirstLayers)
{
    const auto predict = [](const FirstLayerTimed& l) {
        return predicted_mfma_time(l.tuning, l.launch, l.units);
    };
    for(std::size_t i = 0; i < std::size(first_layers); ++i)
    {
        const FirstLayerTimed& l = first_layers[i];
        EXPECT_NEAR(std::log(predict(l) / l.cycles), 0, std::log(4. / 3)) << "line " << i;
    }
    for(std::size_t i = 0; i < std::size(first_layers); i += 2)
        EXPECT_LE(predict(first_layers[i]), predict(first_layers[i + 1])) << "line " << i;
}

} // namespace
} // namespace ck::tensor_operation::device::mfma_time
