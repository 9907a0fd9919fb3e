// What the choice among WMMA's rows loses, in the times that the emulator's timing model predicts:
// forward, f16. They are predictions, too: docs/notes/amd_predicted_times.md.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/model/wmma_time.hpp"

#include <gtest/gtest.h>

#include "tables/wmma.hpp"
#include <array>
#include <cmath>

namespace ck::tensor_operation::device {
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

/// Images and filters are square, padded to keep the size at stride 1. cycles: of each row on
/// gfx1100, and on gfx1200.
struct Timed
{
    double n, k, c, filter, size, stride;
    std::array<std::array<double, row_count>, 2> cycles;
};
constexpr Timed problems[]{
    {8, 64, 64, 1, 56, 1, {{{{32096, 14673, 20727}}, {{116955, 57074, 98575}}}}},
    {8, 256, 64, 1, 56, 1, {{{{76440, 43962, 73867}}, {{251069, 137583, 231209}}}}},
    {8, 64, 256, 1, 56, 1, {{{{70829, 45210, 50661}}, {{219900, 156680, 195052}}}}},
    {8, 128, 128, 1, 28, 1, {{{{15717, 12507, 11727}}, {{27208, 21346, 50324}}}}},
    {8, 512, 128, 1, 28, 1, {{{{45020, 30530, 44587}}, {{154292, 87794, 146578}}}}},
    {8, 256, 256, 1, 14, 1, {{{{13918, 14081, 11842}}, {{17262, 15511, 14783}}}}},
    {8, 1024, 256, 1, 14, 1, {{{{41458, 31089, 31466}}, {{94082, 65230, 106561}}}}},
    {2, 128, 128, 1, 28, 1, {{{{7970, 6303, 6342}}, {{9700, 9383, 7699}}}}},
    {32, 64, 64, 1, 28, 1, {{{{32096, 14673, 20727}}, {{116955, 57074, 98575}}}}},
    {32, 128, 256, 1, 14, 1, {{{{22403, 20595, 16266}}, {{45760, 39709, 69274}}}}},
    {8, 64, 64, 3, 56, 1, {{{{108416, 59674, 59878}}, {{214814, 102693, 131228}}}}},
    {8, 128, 128, 3, 28, 1, {{{{92514, 72546, 67258}}, {{126783, 103255, 123612}}}}},
    {8, 256, 256, 3, 14, 1, {{{{99466, 109988, 90995}}, {{136386, 128588, 119208}}}}},
    {2, 64, 64, 3, 56, 1, {{{{49199, 30642, 25626}}, {{67596, 35312, 33997}}}}},
    {2, 256, 256, 3, 14, 1, {{{{99802, 85202, 55821}}, {{101906, 101636, 77623}}}}},
    {32, 64, 64, 3, 28, 1, {{{{109536, 59681, 58972}}, {{211132, 103980, 127830}}}}},
    {32, 128, 128, 3, 14, 1, {{{{92559, 72412, 66990}}, {{126194, 99709, 121210}}}}},
    {8, 128, 64, 3, 56, 2, {{{{53339, 40108, 40145}}, {{84305, 60927, 76956}}}}},
    {8, 256, 128, 3, 28, 2, {{{{51651, 55341, 48370}}, {{65820, 69266, 66604}}}}},
    {16, 96, 96, 3, 28, 1, {{{{102600, 84580, 80177}}, {{171269, 134527, 166165}}}}},
    {1, 128, 128, 3, 28, 1, {{{{48149, 34889, 29171}}, {{42002, 34198, 27502}}}}},
    {4, 64, 64, 3, 14, 1, {{{{25891, 19149, 16049}}, {{22655, 17889, 14385}}}}},
    {8, 64, 128, 1, 28, 2, {{{{7741, 6986, 5227}}, {{9946, 9265, 8026}}}}},
    {32, 256, 64, 1, 28, 1, {{{{76440, 43962, 73867}}, {{251069, 137583, 231209}}}}},
};

double predict(const GemmTuning& t, const Timed& p, index_t units)
{
    const double out =
                     std::floor((p.size + 2 * std::floor(p.filter / 2) - p.filter) / p.stride) + 1,
                 taps = p.filter * p.filter;
    const double tiles =
        std::ceil(p.n * out * out / t.block_tile.m) * std::ceil(p.k / t.block_tile.n);
    const double bytes =
        2 * (p.n * p.c * p.size * p.size + p.n * p.k * out * out + p.k * p.c * taps);
    return predicted_wmma_time(
        t, LaunchShape{tiles, taps * std::ceil(p.c / t.block_tile.k), bytes, 0}, units);
}

TEST(WmmaTime, ChoosesNearlyTheFastestRow)
{
    for(std::size_t d = 0; d < std::size(devices); ++d)
    {
        double sum = 0, worst = 1;
        for(const Timed& p : problems)
        {
            std::size_t chosen = 0;
            const auto time    = [&](std::size_t r) {
                return predict(devices[d].rows[r], p, devices[d].units);
            };
            for(std::size_t r = 1; r < row_count; ++r)
                if(time(r) < time(chosen))
                    chosen = r;
            const double loss =
                p.cycles[d][chosen] / *std::min_element(p.cycles[d].begin(), p.cycles[d].end());
            sum += std::log(loss);
            worst = std::max(worst, loss);
        }
        // The first row of the table loses 54 and 51 %, an H200's constants 14 and 24.
        EXPECT_LT(std::exp(sum / std::size(problems)), 1.01) << "device " << d;
        EXPECT_LT(worst, 1.06) << "device " << d;
    }
}

TEST(WmmaTime, IsNearTheTimingModel)
{
    for(std::size_t d = 0; d < std::size(devices); ++d)
    {
        double squares = 0;
        for(const Timed& p : problems)
            for(std::size_t r = 0; r < row_count; ++r)
            {
                const double off =
                    std::log(predict(devices[d].rows[r], p, devices[d].units) / p.cycles[d][r]);
                squares += off * off;
            }
        EXPECT_LT(std::sqrt(squares / (row_count * std::size(problems))), d == 0 ? 0.13 : 0.26)
            << "device " << d;
    }
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
            EXPECT_LT(predicted,
                      predict(other, {p.n, p.k, p.c, 1, p.size, 1, {}}, devices[p.device].units));
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
} // namespace ck::tensor_operation::device
