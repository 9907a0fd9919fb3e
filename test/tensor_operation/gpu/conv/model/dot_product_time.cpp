// The model of products of floats by threads, compared with an H200's times.
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/dot_product_cost.hpp"

#include <gtest/gtest.h>

#include "tables/dl.hpp"

namespace ck::tensor_operation::device::dot_product_time {
namespace {

constexpr auto by_tap = tables::dl<Direction::forward, tables::dl_f32>;
constexpr auto merged = tables::few_channels(arch::Matrix::dot_f32_8x4x1_f32, 4, 4, 16);

/// Five tilings that the table of the library has: 128x128, 64x64 tap by tap; and of taps and
/// channels in one, 64 rows by 16, 32 and 64 columns.
constexpr std::size_t tilings                    = 5;
constexpr std::array<GemmTuning, tilings> tuning = [] {
    std::array<GemmTuning, tilings> all{by_tap[0], by_tap[1], merged[0], merged[1], merged[3]};
    for(std::size_t i = 2; i < tilings; ++i)
        all[i].block_tile.m = 64;
    return all;
}();

/// A problem of one group, and milliseconds of the tilings.
struct Measured
{
    const char* name;
    double pixels, k, c, taps, megabytes;
    std::array<double, tilings> ms;
};
constexpr Measured measured[]{
    {"1x1, 56x56", 100352, 256, 64, 1, 128.5, {0.1324, 0.1571, 0.2695, 0.1949, 0.1888}},
    {"1x1, 56x56, 24 channels", 200704, 144, 24, 1, 134.9, {0.1259, 0.1091, 0.182, 0.142, 0.166}},
    {"1x1, 8 images of 7x7", 392, 512, 2048, 1, 8.2, {0.2415, 0.1372, 0.0965, 0.098, 0.1092}},
    {"3x3, 512x512", 262144, 64, 64, 9, 134.4, {1.1431, 0.7692, 1.3454, 0.9774, 0.8932}},
    {"3x3, 7x7", 12544, 512, 512, 9, 60.8, {1.6353, 2.1189, 4.0138, 2.9084, 2.6062}},
    {"3x3, 48 channels", 131072, 48, 48, 9, 50.4, {0.4204, 0.2922, 0.3649, 0.3628, 0.3311}},
    {"4x4, stride 2", 2048, 512, 256, 16, 21, {0.4897, 0.337, 0.6104, 0.4431, 0.3947}},
    {"3x3x3, 96x96x96", 884736, 16, 32, 27, 169.9, {5.4982, 3.3673, 1.6829, 2.3854, 4.2128}},
};

double predicted_ms(const GemmTuning& t, const Measured& p)
{
    constexpr double cycles_of_ms = 1.755e6;
    const auto [m, n, k]          = t.block_tile;
    const LaunchShape shape{std::ceil(p.pixels / m) * std::ceil(p.k / n),
                            t.reduction == Reduction::merged ? std::ceil(p.taps * p.c / k)
                                                             : p.taps * std::ceil(p.c / k),
                            p.megabytes * 1e6,
                            0};
    return predicted_dot_product_time(t, shape, 132) / cycles_of_ms;
}

TEST(DotProductTime, IsNearWhatWasMeasured)
{
    for(const Measured& p : measured)
        for(std::size_t i = 0; i < tilings; ++i)
            EXPECT_NEAR(predicted_ms(tuning[i], p) / p.ms[i], 1, 0.3) << p.name << ", tiling " << i;
}

TEST(DotProductTime, FindsTheFastestTiling)
{
    for(const Measured& p : measured)
    {
        std::size_t chosen = 0;
        for(std::size_t i = 1; i < tilings; ++i)
            if(predicted_ms(tuning[i], p) < predicted_ms(tuning[chosen], p))
                chosen = i;
        EXPECT_LE(p.ms[chosen], 1.05 * *std::min_element(p.ms.begin(), p.ms.end())) << p.name;
    }
}

TEST(DotProductTime, IsOfFloatsAlone)
{
    EXPECT_TRUE(is_modelled(tuning[0]));
    GemmTuning doubles  = tuning[0];
    doubles.instruction = arch::Matrix::dot_f64_8x4x1_f64;
    EXPECT_FALSE(is_modelled(doubles));
}

} // namespace
} // namespace ck::tensor_operation::device::dot_product_time
