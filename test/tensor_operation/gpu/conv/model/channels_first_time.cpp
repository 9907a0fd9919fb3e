// Predictions for 1x1 layers with channels first. On NVIDIA they are memory bound, and the row is
// the one that loads the fewest channels that do not exist. With MFMA they are what the emulator's
// timing model predicts (docs/notes/amd_predicted_times.md).
#include "ck/tensor_operation/gpu/conv/kernels/pointwise_channels_first/cost.hpp"

#include <gtest/gtest.h>

#include "tables/mma.hpp"
#include "tables/xdl.hpp"
#include <array>
#include <cmath>
#include <limits>

namespace ck::tensor_operation::device::channels_first_time {
namespace {

constexpr auto rows = tables::mma_pointwise_channels_first<arch::Matrix::mma_f32_16x8x16_f16>;

/// C to K channels of 128 square images.
struct Layer
{
    index_t c, k, size;

    double pixels() const { return 128. * size * size; }
    double bytes() const { return 2 * (pixels() * (c + k) + c * k); }
};

/// Forward; an H200 has 132 units.
double cycles(const GemmTuning& t, const Layer& l, index_t compute_units = 132)
{
    return predicted_time(t,
                          ChannelsFirstLaunch{std::ceil(l.pixels() / t.wave_m),
                                              std::ceil(l.k / 16.),
                                              std::ceil(double{1} * l.k / t.block_tile.n),
                                              l.bytes(),
                                              2 * l.pixels() * l.c},
                          compute_units);
}

TEST(PlanesTime, IsThatOfMemory)
{
    for(const Layer& l : {Layer{16, 16, 112}, {32, 16, 112}, {24, 144, 56}, {64, 64, 56}})
    {
        double least = std::numeric_limits<double>::max();
        for(const GemmTuning& t : rows)
            if(l.c <= t.block_tile.k)
                least = std::min(least, cycles(t, l));
        const double moving = l.bytes() / device_bytes_in_a_cycle;
        EXPECT_GT(least, moving) << l.c << " to " << l.k;
        EXPECT_LT(least, 1.2 * moving) << l.c << " to " << l.k;
    }
}

TEST(PlanesTime, IsLeastOfTheRowThatFits)
{
    const std::array<std::array<index_t, 2>, 5> fit{
        {{16, 16}, {24, 32}, {40, 48}, {64, 64}, {72, 96}}};
    for(const auto& [channels, depth] : fit)
        for(const index_t columns : {16, 96})
        {
            const Layer l{channels, columns, 56};
            const GemmTuning* best = nullptr;
            for(const GemmTuning& t : rows)
                if(channels <= t.block_tile.k &&
                   (best == nullptr || cycles(t, l) < cycles(*best, l)))
                    best = &t;
            EXPECT_EQ(best->block_tile.k, depth) << channels << " to " << columns;
            EXPECT_EQ(best->channels_first.vector, 8) << channels << " to " << columns;
        }
}

/// Blocks of further columns read the pixels again.
TEST(PlanesTime, GrowsByColumnsOfOtherBlocks)
{
    const GemmTuning& t = rows[0];
    const Layer at_most{16, t.block_tile.n, 56}, more{16, t.block_tile.n + 16, 56};
    EXPECT_GT(cycles(t, more) - cycles(t, at_most),
              1.2 * (more.bytes() - at_most.bytes()) / device_bytes_in_a_cycle);
}

/// Cycles that the emulator's timing model predicts for a row.
struct Timed
{
    index_t units; ///< units of gfx90a and gfx942
    Layer layer;
    std::size_t row;
    double cycles;
};
constexpr Timed timed[]{
    {104, {16, 16, 112}, 0, 103520},
    {104, {32, 16, 112}, 1, 158298},
    {104, {48, 48, 56}, 2, 77199},
    {104, {64, 24, 56}, 3, 76353},
    {104, {96, 24, 56}, 4, 104815},
    {304, {16, 16, 112}, 0, 36361},
    {304, {32, 32, 112}, 1, 72308},
    {304, {48, 48, 56}, 2, 34008},
    {304, {64, 24, 56}, 3, 37144},
    {304, {96, 576, 14}, 4, 39452},
};

TEST(PlanesTime, IsNearThatOfTheTimingModelByMfma)
{
    constexpr auto by_mfma =
        tables::xdl_pointwise_channels_first<arch::Matrix::mfma_f32_16x16x16_f16>;
    for(const Timed& t : timed)
        EXPECT_NEAR(std::log(cycles(by_mfma[t.row], t.layer, t.units) / t.cycles), 0, std::log(1.2))
            << t.layer.c << " to " << t.layer.k << " by " << t.units << " units";
}

} // namespace
} // namespace ck::tensor_operation::device::channels_first_time
