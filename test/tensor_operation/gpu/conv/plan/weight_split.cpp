// The number of partial sums of backward weight by MFMA and WMMA: the fastest by the model, among
// those for one or several workgroups on each compute unit. What the choice loses is in
// conv/model/unit_time.cpp.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <gtest/gtest.h>

#include "tables/wmma.hpp"
#include "tables/xdl.hpp"

namespace ck::tensor_operation::device::weight_split {
namespace {

constexpr Direction weight = Direction::backward_weight;

struct Device
{
    const char* name;
    arch::Target target;
    index_t units;
    const GemmTuning& tuning;
};
const Device devices[]{
    {"gfx90a", arch::Target::gfx90a, 104, tables::xdl<weight, tables::xdl_f16>[1]},
    {"gfx942", arch::Target::gfx942, 304, tables::xdl<weight, tables::xdl_f16>[1]},
    {"gfx950", arch::Target::gfx950, 256, tables::xdl<weight, tables::xdl_f16_gfx950>[1]},
    {"gfx1100", arch::Target::gfx11, 48, tables::wmma<weight, tables::wmma_gfx11_f16>[0]},
    {"gfx1200", arch::Target::gfx12, 16, tables::wmma<weight, tables::wmma_gfx12_f16>[0]},
};

/// A launch of `tiles` tiles, each of which sums up `pixels` pixels of one layer.
struct Launch
{
    const Device& device;
    SplitShape shape;
    LaunchShape whole{};
    double partial_bytes;

    Launch(const Device& d, long_index_t tiles, long_index_t pixels)
        : device(d),
          shape{tiles, pixels / d.tuning.block_tile.k, d.units, 1280 / d.tuning.block_tile.k, true}
    {
        const auto [m, n, k] = d.tuning.block_tile;
        const double sums    = 1. * static_cast<double>(tiles) * m * n;
        partial_bytes        = sizeof(float) * sums;
        whole.written_bytes  = 2 * sums;
        whole.bytes          = whole.written_bytes + 2. * static_cast<double>(pixels) * (m + n);
        whole.lds_bytes      = 2. * (m + n) * k;
    }
    double time(const SplitPlan& plan) const
    {
        return predicted_weight_time(device.tuning,
                                     split_weight(shape, plan, whole, partial_bytes),
                                     device.units,
                                     device.target);
    }
    SplitPlan plan() const
    {
        return plan_weight_split(device.tuning, shape, whole, partial_bytes, device.target);
    }
};

TEST(WeightSplit, IsTheFastestOfThoseTried)
{
    for(const Device& d : devices)
        for(const long_index_t tiles : {1, 9, 50, 200, 700})
            for(const long_index_t pixels : {256, 3136, 25088, 401408})
            {
                const Launch l(d, tiles, pixels);
                const SplitPlan plan = l.plan();
                bool tried           = false;
                for(const index_t of_unit : weight_times(d.tuning, d.target).workgroups)
                {
                    const SplitPlan other = split_for_unit(l.shape, of_unit);
                    tried                 = tried || plan == other;
                    EXPECT_LE(l.time(plan), l.time(other)) << d.name << ' ' << of_unit;
                }
                EXPECT_TRUE(tried) << d.name << ' ' << plan.partial_sums;
            }
}

TEST(WeightSplit, FillsTheDevice)
{
    for(const Device& d : devices)
    {
        const Launch few(d, 2, 401408), many(d, 8 * d.units, 3136);
        EXPECT_GE(2 * few.plan().partial_sums, d.units) << d.name;
        EXPECT_FALSE(many.plan().has_partial_sums()) << d.name;
    }
}

TEST(WeightSplit, CountsPartialSums)
{
    for(const Device& d : devices)
    {
        const Launch l(d, 2, 401408);
        SplitPlan split;
        split.partial_sums      = 100;
        const LaunchShape shape = split_weight(l.shape, split, l.whole, l.partial_bytes);
        EXPECT_EQ(shape.tiles, 200);
        EXPECT_EQ(shape.slices, std::ceil(static_cast<double>(l.shape.slices) / 100));
        EXPECT_EQ(shape.more_bytes, 200 * l.partial_bytes);
        EXPECT_EQ(shape.bytes, l.whole.bytes);
        EXPECT_EQ(split_weight(l.shape, SplitPlan{}, l.whole, l.partial_bytes).more_bytes, 0);
        SplitPlan stored;
        stored.whole = false;
        EXPECT_EQ(split_weight(l.shape, stored, l.whole, l.partial_bytes).more_bytes,
                  2 * l.partial_bytes);
    }
}

/// One launch writes partial sums, the other reads them.
TEST(WeightSplit, PartialSumsTakeTime)
{
    for(const Device& d : devices)
    {
        const WeightTimes& of   = weight_times(d.tuning, d.target);
        const LaunchShape whole = Launch(d, 50, 25088).whole;
        const auto time         = [&](double partial_sums) {
            LaunchShape shape = whole;
            shape.tiles = 50, shape.slices = 100, shape.more_bytes = 2 * partial_sums;
            return predicted_weight_time(d.tuning, shape, d.units, d.target);
        };
        const auto adding = [&](double partial_sums) {
            return of.to_add + partial_sums / (of.added * d.units);
        };
        EXPECT_DOUBLE_EQ(time(whole.written_bytes), time(0) + adding(whole.written_bytes))
            << d.name;
        EXPECT_GT(time(1e9), time(0) + adding(1e9)) << d.name;
    }
}

} // namespace
} // namespace ck::tensor_operation::device::weight_split
