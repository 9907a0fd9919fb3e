// Sums of int8 near 2^31, which may not fit in 32 bits, with an instruction of each engine. Forward
// and backward data refuse them, and say how long they are. Backward weight cuts them into partial
// sums, whose total is exact. Kernels that add doubles compute all of them. Results are halves of
// 2^32, so that the last bit of a sum counts.
//
// Labels: not sanitized, not emulated
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include "placed_memory.hpp"
#include "tables/dl.hpp"
#include "tables/mma.hpp"
#include "tables/wgmma.hpp"
#include "tables/wmma.hpp"
#include "tables/xdl.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ck::test::long_sums {
namespace {

using namespace tensor_operation::device;
using tensor_operation::element_wise::PassThrough;
using tensor_operation::element_wise::Requantize;
using i8 = std::int8_t;

constexpr std::int64_t edge = std::int64_t{1} << 31;

/// So many products that no 32 bits hold the sums of the largest.
constexpr long_index_t length = 131080;

/// The factors of products whose sum is `sum`, of both signs of 2^31 or near it.
struct Factors
{
    std::vector<i8> a, b;

    explicit Factors(std::int64_t sum)
    {
        const int sign    = sum < 0 ? -1 : 1;
        std::int64_t left = std::abs(sum);
        while(left > 0)
        {
            // -128 * -128, or 127 * -128 and what remains by smaller ones
            const std::int64_t most = sign > 0 ? 128 : 127, x = std::min<std::int64_t>(left, 128),
                               y = std::min(left / x, most);
            a.push_back(static_cast<i8>(-x));
            b.push_back(static_cast<i8>(-sign * y));
            left -= x * y;
        }
        EXPECT_LE(a.size(), static_cast<std::size_t>(length + 1100));
        EXPECT_EQ(this->sum(), sum);
        a.resize(length + 1104);
        b.resize(length + 1104);
    }
    std::int64_t sum() const
    {
        std::int64_t s = 0;
        for(std::size_t i = 0; i < a.size(); ++i)
            s += std::int64_t{a[i]} * b[i];
        return s;
    }
};

/// sum / 2^32, a half or nearly, to the nearest; of both ties 0.
int rounded(std::int64_t sum)
{
    const std::int64_t half = std::int64_t{1} << 31;
    return sum > half ? 1 : sum < -half ? -1 : 0;
}
constexpr Requantize operation{.scale = 0x1p-32f};
const std::vector<std::int64_t> edges{edge - 1, edge, edge + 1, -edge + 1, -edge, -edge - 1};
/// Edges for slow kernels.
const std::vector<std::int64_t> few_edges{edge + 1, -edge - 1};

/// `lines` lines of these elements, the fastest or the slowest of a tensor.
std::vector<i8> lines(const std::vector<i8>& line, long_index_t count, bool fastest)
{
    std::vector<i8> all;
    for(std::size_t i = 0; i < line.size() * static_cast<std::size_t>(count); ++i)
        all.push_back(line[fastest ? i % line.size() : i / static_cast<std::size_t>(count)]);
    return all;
}

using Types = ConvTypes<i8, i8, i8, PassThrough, PassThrough, Requantize>;

/// Backward weight of 1x1 with `channels` channels of X and of Y in each of `groups` groups, all
/// the same, in `split_k` partial sums.
template <GemmTuning tuning>
void expect_weights(index_t split_k,
                    const std::vector<std::int64_t>& sums = edges,
                    long_index_t channels                 = 16)
{
    using Op = BackwardWeightOperation<Types, tuning>;
    for(const std::int64_t sum : sums)
    {
        SCOPED_TRACE(sum);
        const Factors f(sum);
        const auto pixels = static_cast<long_index_t>(f.a.size());
        const ConvProblem p =
            make_packed_problem<1>(1, 1, channels, channels, {1}, {pixels}, {1}, {1}, {0}, {0});
        const PlacedMemory dy = on_device(lines(f.a, channels, false)),
                           x  = on_device(lines(f.b, channels, false));
        std::vector<i8> dw(static_cast<std::size_t>(channels * channels), 77);
        PlacedMemory dw_memory = on_device(dw);
        typename Op::Argument a{};
        a.problem     = p;
        a.a           = static_cast<const i8*>(dy.GetDeviceBuffer());
        a.b           = static_cast<const i8*>(x.GetDeviceBuffer());
        a.c           = static_cast<i8*>(dw_memory.GetDeviceBuffer());
        a.operation_c = operation;
        a.split_k     = split_k;
        Op::make_plan(a);
        const Support s = Op::supports(a, true);
        CK_SKIP_WITHOUT(Op::Kernel::requirement, s.reason);
        ASSERT_TRUE(s) << s.reason;
        EXPECT_GE(a.plan.split.partial_sums, sums_in_32_bits<tuning> ? 2 : 1);
        const Support without = Op::supports(a, false);
        EXPECT_EQ(static_cast<bool>(without), !sums_in_32_bits<tuning>) << without.reason;
        if(!without)
        {
            EXPECT_NE(without.reason.find("integers of 32 bits hold the sums of at most 131071"),
                      std::string::npos)
                << without.reason;
            EXPECT_THROW(Op::run(a, StreamConfig{}), std::runtime_error);
        }
        const PlacedMemory workspace(Op::workspace_size(a));
        Op::run(a, StreamConfig{}, workspace.GetDeviceBuffer());
        dw_memory.FromDevice(dw.data());
        EXPECT_EQ(std::count(dw.begin(), dw.end(), rounded(sum)),
                  static_cast<std::ptrdiff_t>(dw.size()))
            << int{dw[0]} << " and others, not " << rounded(sum);
    }
}

/// A row of 16 channels, single elements.
constexpr GemmTuning row(arch::Matrix id, index_t k)
{
    return {.block_tile  = {32, 32, k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = 1,
            .b_vector    = 1,
            .c_vector    = 1};
}
using enum arch::Matrix;

TEST(LongSums, WeightsByMfma) { expect_weights<row(mfma_i32_32x32x8_i8, 64)>(1); }
TEST(LongSums, WeightsByMfmaAsManyAsAsked) { expect_weights<row(mfma_i32_32x32x8_i8, 64)>(5); }
TEST(LongSums, WeightsByWmma) { expect_weights<row(wmma_gfx11_i32_16x16x16_iu8, 64)>(-1); }
TEST(LongSums, WeightsByDotProducts) { expect_weights<row(dot_i32_8x4x4_i8, 32)>(1); }
TEST(LongSums, WeightsByMma) { expect_weights<row(mma_i32_16x8x32_s8, 64)>(1); }
TEST(LongSums, WeightsByWgmma)
{
    expect_weights<tables::wgmma<Direction::backward_weight, tables::wgmma_i8>[0]>(
        1, few_edges, 128);
}
TEST(LongSums, WeightsByDoubles) { expect_weights<row(dot_f64_8x4x1_f64, 4)>(1, few_edges); }

/// Groups of `channels` channels of X and Y, filters of 3x3: all the largest products, each tap's
/// as many as it has pixels.
template <GemmTuning tuning>
void expect_groups(long_index_t groups, long_index_t channels)
{
    using Op                 = BackwardWeightOperation<Types, tuning>;
    constexpr long_index_t h = 257, w = 520;
    const ConvProblem p = make_packed_problem<2>(
        groups, 1, channels, channels, {3, 3}, {h, w}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const std::vector<i8> least(static_cast<std::size_t>(groups * channels * h * w), -128);
    const PlacedMemory dy = on_device(least), x = on_device(least);
    std::vector<i8> dw(static_cast<std::size_t>(groups * channels * channels * 9), 77);
    PlacedMemory dw_memory = on_device(dw);
    typename Op::Argument a{};
    a.problem           = p;
    a.a                 = static_cast<const i8*>(dy.GetDeviceBuffer());
    a.b                 = static_cast<const i8*>(x.GetDeviceBuffer());
    a.c                 = static_cast<i8*>(dw_memory.GetDeviceBuffer());
    a.operation_c.scale = 0x1p-25f;
    Op::make_plan(a);
    const Support s = Op::supports(a, true);
    CK_SKIP_WITHOUT(Op::Kernel::requirement, s.reason);
    ASSERT_TRUE(s) << s.reason;
    EXPECT_GE(a.plan.split.partial_sums, 2);
    const PlacedMemory workspace(Op::workspace_size(a));
    Op::run(a, StreamConfig{}, workspace.GetDeviceBuffer());
    dw_memory.FromDevice(dw.data());
    for(std::size_t i = 0; i < dw.size(); ++i)
    {
        const auto tap = static_cast<long_index_t>(i) / channels % 9, y = tap / 3 - 1,
                   column   = tap % 3 - 1;
        const double pixels = static_cast<double>((h - std::abs(y)) * (w - std::abs(column)));
        ASSERT_EQ(dw[i], std::nearbyint(pixels * 0x1p14 * 0x1p-25)) << i;
    }
}

/// The first row of a table with such a pipeline and 3x3 taps.
constexpr GemmTuning first(const auto& table, Pipeline pipeline)
{
    for(const GemmTuning& t : table)
        if(t.pipeline == pipeline && t.window.y == 3 && t.window.x == 3 && t.window.z == 1)
            return t;
    return {};
}

TEST(LongSums, WeightsBySlidingWindows)
{
    expect_groups<first(tables::dl_depthwise<Direction::backward_weight, tables::dl_i8>,
                        Pipeline::sliding_window)>(16, 1);
}
TEST(LongSums, WeightsByChannelSlices)
{
    expect_groups<first(tables::wgmma<Direction::backward_weight, tables::wgmma_i8>,
                        Pipeline::channel_slices)>(32, 4);
}

/// Forward and backward data of one pixel and 1x1: channels are the sum.
template <class Direction, GemmTuning tuning>
void expect_sums()
{
    using Op = ConvOperation<Direction, Types, tuning>;
    for(const std::int64_t sum : few_edges)
    {
        SCOPED_TRACE(sum);
        const Factors f(sum);
        const auto products      = static_cast<long_index_t>(f.a.size());
        constexpr bool forward   = Direction::c == Role::output;
        constexpr long_index_t n = 2, columns = 3;
        const ConvProblem p       = make_packed_problem<1>(1,
                                                     n,
                                                     forward ? columns : products,
                                                     forward ? products : columns,
                                                     {1},
                                                     {1},
                                                     {1},
                                                     {1},
                                                     {0},
                                                     {0});
        const PlacedMemory from   = on_device(lines(f.a, n, true)),
                           filter = on_device(lines(f.b, columns, forward));
        std::vector<i8> to(static_cast<std::size_t>(n * columns), 77);
        PlacedMemory to_memory = on_device(to);
        typename Op::Argument a{};
        a.problem       = p;
        a.a             = static_cast<const i8*>(from.GetDeviceBuffer());
        a.b             = static_cast<const i8*>(filter.GetDeviceBuffer());
        a.c             = static_cast<i8*>(to_memory.GetDeviceBuffer());
        a.operation_c   = operation;
        const Support s = Op::supports(a);
        CK_SKIP_WITHOUT(Op::Kernel::requirement, s.reason);
        if(sums_in_32_bits<tuning>)
        {
            ASSERT_FALSE(s);
            EXPECT_NE(s.reason.find("a sum has " + std::to_string(products) + " products"),
                      std::string::npos)
                << s.reason;
            continue;
        }
        ASSERT_TRUE(s) << s.reason;
        Op::run(a, StreamConfig{});
        to_memory.FromDevice(to.data());
        EXPECT_EQ(std::count(to.begin(), to.end(), rounded(sum)),
                  static_cast<std::ptrdiff_t>(to.size()))
            << int{to[0]} << " and others, not " << rounded(sum);
    }
}
template <GemmTuning tuning>
void expect_both()
{
    expect_sums<ForwardDirection, tuning>();
    expect_sums<BackwardDataDirection, tuning>();
}

TEST(LongSums, AreRefusedByMfma) { expect_both<row(mfma_i32_32x32x8_i8, 64)>(); }
TEST(LongSums, AreRefusedByWmma) { expect_both<row(wmma_gfx11_i32_16x16x16_iu8, 64)>(); }
TEST(LongSums, AreRefusedByDotProducts) { expect_both<row(dot_i32_8x4x4_i8, 32)>(); }
TEST(LongSums, AreRefusedByMma) { expect_both<row(mma_i32_16x8x32_s8, 64)>(); }
TEST(LongSums, AreExactInDoubles) { expect_both<row(dot_f64_8x4x1_f64, 4)>(); }

/// The longest sum of the largest products that 32 bits hold.
TEST(LongSums, FillThirtyTwoBits)
{
    constexpr GemmTuning tuning = row(mfma_i32_32x32x8_i8, 64);
    using Op                    = ConvOperation<ForwardDirection, Types, tuning>;
    const std::vector<i8> least(static_cast<std::size_t>(most_int8_products), -128);
    const PlacedMemory x = on_device(least), w = on_device(least);
    std::vector<i8> y{77};
    PlacedMemory y_memory = on_device(y);
    typename Op::Argument a{};
    a.problem = make_packed_problem<1>(1, 1, 1, most_int8_products, {1}, {1}, {1}, {1}, {0}, {0});
    a.a       = static_cast<const i8*>(x.GetDeviceBuffer());
    a.b       = static_cast<const i8*>(w.GetDeviceBuffer());
    a.c       = static_cast<i8*>(y_memory.GetDeviceBuffer());
    a.operation_c.scale = 0x1p-25f;
    const Support s     = Op::supports(a);
    CK_SKIP_WITHOUT(Op::Kernel::requirement, s.reason);
    ASSERT_TRUE(s) << s.reason;
    Op::run(a, StreamConfig{});
    y_memory.FromDevice(y.data());
    EXPECT_EQ(y[0], 64);
}

} // namespace
} // namespace ck::test::long_sums
