// What the choice among MFMA's rows loses, in the times that the emulator's timing model predicts:
// forward, f16. They are predictions, too: docs/notes/amd_predicted_times.md.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/mfma_time.hpp"

#include <gtest/gtest.h>

#include "tables/first_layer.hpp"
#include <array>
#include <cmath>

namespace ck::tensor_operation::device {
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

/// Images and filters are square, padded to keep the size at stride 1. cycles: of each row.
struct Timed
{
    double n, k, c, filter, size, stride;
    std::array<double, rows.size()> cycles;
};
constexpr Timed problems[]{
    {4, 256, 128, 3, 28, 1, {113520, 64760, 51612, 46638, 43096}},
    {1, 64, 64, 3, 56, 1, {62060, 36084, 26916, 23832, 19220}},
    {8, 64, 64, 3, 56, 1, {62168, 53434, 30602, 45549, 49898}},
    {32, 64, 64, 3, 56, 1, {178172, 196286, 100316, 144724, 190076}},
    {1, 128, 128, 3, 28, 1, {113528, 65080, 48792, 44296, 30808}},
    {16, 128, 128, 3, 28, 1, {113532, 64836, 56288, 90235, 84328}},
    {64, 128, 128, 3, 28, 1, {186088, 187830, 185938, 270360, 323128}},
    {1, 256, 256, 3, 14, 1, {217744, 121872, 91596, 84544, 54200}},
    {32, 256, 256, 3, 14, 1, {217976, 122116, 104681, 170143, 150176}},
    {128, 256, 256, 3, 14, 1, {355824, 354302, 351000, 509636, 555869}},
    {4, 512, 512, 3, 7, 1, {425088, 235700, 175692, 163840, 100280}},
    {64, 512, 512, 3, 7, 1, {424880, 236196, 195459, 341229, 280604}},
    {8, 256, 64, 1, 56, 1, {17328, 22175, 24356, 34660, 42656}},
    {8, 64, 256, 1, 56, 1, {30200, 27608, 19496, 29280, 23214}},
    {32, 512, 128, 1, 28, 1, {53604, 59188, 62084, 92837, 108214}},
    {32, 1024, 256, 1, 14, 1, {46824, 49320, 48284, 76352, 82979}},
    {16, 32, 32, 3, 56, 1, {52526, 60457, 34241, 41324, 49972}},
    {8, 128, 64, 3, 56, 2, {61896, 36144, 28492, 25344, 25837}},
    {32, 256, 128, 3, 28, 2, {113656, 64844, 57189, 91207, 85172}},
    {2, 96, 96, 3, 40, 1, {87840, 50360, 37360, 35000, 31960}},
};

/// The same on gfx942, in the timing model as of 2026-11-28: rows of whole lines, too.
constexpr std::array line_rows{rows[0],
                               rows[1],
                               rows[2],
                               rows[3],
                               rows[4],
                               row({128, 128, 64}, 64, 64, arch::Matrix::mfma_f32_32x32x8_f16),
                               row({96, 128, 64}, 96, 32, arch::Matrix::mfma_f32_32x32x8_f16),
                               row({128, 64, 64}, 64, 32, arch::Matrix::mfma_f32_32x32x8_f16),
                               row({64, 64, 64}, 32, 32, arch::Matrix::mfma_f32_32x32x8_f16)};
struct TimedOnGfx942
{
    double n, k, c, filter, size, stride;
    std::array<double, line_rows.size()> cycles;
};
constexpr TimedOnGfx942 gfx942_problems[]{
    {1, 256, 256, 3, 14, 1, {104100, 73350, 62250, 59100, 34350, 62400, 51750, 41700, 33000}},
    {64, 96, 96, 3, 35, 1, {91050, 74850, 105150, 98400, 122250, 84450, 72000, 99600, 102900}},
    {24, 512, 256, 3, 38, 2, {107850, 88500, 128100, 163050, 125400, 63150, 85050, 66750, 87600}},
    {2,
     640,
     640,
     3,
     64,
     1,
     {260400, 427650, 468000, 486600, 353400, 245400, 200250, 272250, 284100}},
    {408,
     512,
     128,
     1,
     28,
     1,
     {209100, 244500, 291750, 355200, 363450, 184350, 218100, 257850, 233400}},
    {35, 64, 64, 3, 56, 1, {58200, 44250, 40050, 49050, 51900, 44850, 48600, 35550, 36450}},
    {32, 256, 256, 3, 14, 1, {106950, 71100, 63300, 82500, 48150, 62700, 51900, 42600, 45150}},
    {3, 256, 128, 1, 38, 1, {10650, 7800, 6600, 5100, 5400, 6900, 6300, 5550, 4950}},
    {64, 384, 448, 3, 8, 1, {177900, 121350, 109800, 108300, 73800, 102900, 84600, 69150, 74250}},
    {64, 2048, 512, 1, 7, 1, {30150, 43350, 46050, 64800, 48300, 28500, 22500, 31950, 35700}},
    {408,
     128,
     128,
     3,
     28,
     1,
     {339750, 377100, 529950, 578250, 526950, 236400, 240900, 296250, 334050}},
    {256, 128, 512, 1, 10, 1, {27150, 21150, 31950, 31350, 29700, 17400, 16200, 18600, 17700}},
    {256,
     64,
     64,
     3,
     56,
     1,
     {328200, 317250, 267450, 323400, 354600, 292800, 318000, 206850, 235050}},
};

template <class P>
double predict(const GemmTuning& t,
               const P& p,
               index_t units       = 104,
               arch::Target target = arch::Target::gfx90a)
{
    const double out =
                     std::floor((p.size + 2 * std::floor(p.filter / 2) - p.filter) / p.stride) + 1,
                 taps = p.filter * p.filter;
    const double tiles =
        std::ceil(p.n * out * out / t.block_tile.m) * std::ceil(p.k / t.block_tile.n);
    const double bytes =
        2 * (p.n * p.c * p.size * p.size + p.n * p.k * out * out + p.k * p.c * taps);
    LaunchShape shape{tiles, taps * std::ceil(p.c / t.block_tile.k), bytes, 0};
    const double columns = p.k / std::ceil(p.k / t.block_tile.n),
                 depth   = p.c / std::ceil(p.c / t.block_tile.k);
    shape.cache_bytes    = (t.block_tile.m + columns) * std::max(128., 2 * depth);
    return predicted_mfma_time(t, shape, units, target);
}

TEST(MfmaTime, ChoosesNearlyTheFastestRow)
{
    double sum = 0, worst = 1;
    for(const Timed& p : problems)
    {
        std::size_t chosen = 0;
        for(std::size_t r = 1; r < rows.size(); ++r)
            if(predict(rows[r], p) < predict(rows[chosen], p))
                chosen = r;
        const double loss = p.cycles[chosen] / *std::min_element(p.cycles.begin(), p.cycles.end());
        sum += std::log(loss);
        worst = std::max(worst, loss);
    }
    EXPECT_LT(std::exp(sum / std::size(problems)), 1.02); // the first row of the table loses 94 %
    EXPECT_LT(worst, 1.3);
}

TEST(MfmaTime, ChoosesWholeLinesOnGfx942)
{
    double sum = 0, worst = 1;
    for(const TimedOnGfx942& p : gfx942_problems)
    {
        std::size_t chosen = 0;
        for(std::size_t r = 0; r < line_rows.size(); ++r)
        {
            const auto time = [&](std::size_t i) {
                return predict(line_rows[i], p, 304, arch::Target::gfx942);
            };
            if(time(r) < time(chosen))
                chosen = r;
            EXPECT_NEAR(std::log(time(r) / p.cycles[r]), 0, std::log(1.4))
                << "row " << r << " n " << p.n << " k " << p.k << " c " << p.c;
        }
        const double loss = p.cycles[chosen] / *std::min_element(p.cycles.begin(), p.cycles.end());
        sum += std::log(loss);
        worst = std::max(worst, loss);
    }
    EXPECT_LT(std::exp(sum / std::size(gfx942_problems)), 1.03);
    EXPECT_LT(worst, 1.15);
}

TEST(MfmaTime, IsOfMfmaAlone)
{
    using enum arch::Matrix;
    for(const arch::Matrix i : {mfma_f32_32x32x8_f16, mfma_f32_32x32x16_f16, mfma_f64_16x16x4_f64})
        EXPECT_TRUE(is_mfma(row({64, 64, 32}, 32, 32, i)));
    for(const arch::Matrix i : {dot_f32_8x4x1_f32, mma_f32_16x8x16_f16, wgmma_f32_16x8x16_f16})
        EXPECT_FALSE(is_mfma(row({64, 64, 32}, 32, 32, i)));
}

TEST(MfmaTime, IsWithinAThirdOfTheTimingModel)
{
    for(const Timed& p : problems)
        for(std::size_t r = 0; r < rows.size(); ++r)
            EXPECT_NEAR(std::log(predict(rows[r], p) / p.cycles[r]), 0, std::log(4. / 3))
                << "row " << r << " n " << p.n << " k " << p.k << " c " << p.c << " size "
                << p.size;
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
            EXPECT_LT(predicted, predict(other, Timed{128, p.k, p.c, 1, p.size, 1, {}}, p.units));
    }
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
} // namespace ck::tensor_operation::device
