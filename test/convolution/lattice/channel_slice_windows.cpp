// Many small groups by MFMA (conv/kernels/channel_slice_window/kernel.hpp).
//
// Cases not sanitized: ChannelSliceWindows.ManyTiles
#include "tables/channel_slice_windows.hpp"

#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "devices.hpp"
#include <random>

namespace ck::test {
namespace {

using enum arch::Matrix;
using L = long_index_t;

template <class T>
inline constexpr arch::Matrix mfma_of =
    std::is_same_v<T, half_t> ? mfma_f32_16x16x16_f16 : mfma_f32_16x16x16_bf16_1k;

/// Channel slices of `channel_slice` channels; tiles of 64 pixels by two waves.
template <class T, index_t channel_slice>
using ChannelSliceWindows =
    InstanceOf<T,
               tables::channel_slice_windows(
                   mfma_of<T>, channel_slice, channel_slice == 16 ? 18 : 9, 64, 2, 180, 2)>;

ConvProblem square(L groups, L images, L channels, L length)
{
    return make_packed_problem<2>(groups,
                                  images,
                                  channels,
                                  channels,
                                  {3, 3},
                                  {length, length},
                                  {1, 1},
                                  {1, 1},
                                  {1, 1},
                                  {1, 1},
                                  PackedOrder::group_inside);
}

#define CK_SKIP_WITHOUT_MFMA(instance)                                                             \
    CK_SKIP_WITHOUT(instruction_of((instance).tuning()).requirement,                               \
                    (instance).refusal(square(8, 1, 4, 4)))

/// Problems of any rank with that many channels per group, drawn; how many are computed.
void expect_drawn(const Instance& instance, L channels, unsigned seed)
{
    std::mt19937 random(seed);
    const auto draw = [&](L least, L most) {
        return least + static_cast<L>(random() % static_cast<unsigned>(most - least + 1));
    };
    const L of_pack = std::max<L>(1, 8 / channels); // groups of 16 bytes
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int ran = 0, refused = 0; ran < 3;)
        {
            std::array<L, 3> filter{}, input{}, dilation{}, low{}, high{};
            for(std::size_t i = 0; i < 3; ++i)
            {
                filter[i]   = draw(1, 3);
                dilation[i] = draw(1, 2);
                input[i]    = draw((filter[i] - 1) * dilation[i] + 1, 1 + 24 / rank);
                low[i]      = draw(0, 2);
                high[i]     = draw(0, 2);
            }
            const auto problem = [&](auto r) {
                constexpr std::size_t n = r;
                const auto of           = [](const std::array<L, 3>& all) {
                    std::array<L, n> some{};
                    std::copy_n(all.begin(), n, some.begin());
                    return some;
                };
                std::array<L, n> ones{};
                ones.fill(1);
                return make_packed_problem<r>(of_pack * draw(1, 80 / (of_pack * channels)),
                                              draw(1, 3),
                                              channels,
                                              channels,
                                              of(filter),
                                              of(input),
                                              ones,
                                              of(dilation),
                                              of(low),
                                              of(high),
                                              draw(0, 1) == 0 ? PackedOrder::group_inside
                                                              : PackedOrder::group_first);
            };
            ConvProblem p{};
            with_rank(rank, [&](auto r) { p = problem(r); });
            if(const std::string reason = instance.refusal(p); !reason.empty())
            {
                EXPECT_TRUE(reason.find("taps, but this kernel has room") != std::string::npos ||
                            reason.find("the windows of a tile have") != std::string::npos ||
                            reason.find("vectors of 8") != std::string::npos)
                    << reason;
                ASSERT_LT(++refused, 20);
                continue;
            }
            expect_right(instance, p);
            ++ran;
        }
}

template <class Instance>
void check_drawn(const Instance& instance, L channels, unsigned seed)
{
    CK_SKIP_WITHOUT_MFMA(instance);
    expect_drawn(instance, channels, seed);
}

TEST(ChannelSliceWindows, OfFourChannels)
{
    check_drawn(ChannelSliceWindows<half_t, 16>("channel-slice windows"), 4, 1);
}
TEST(ChannelSliceWindows, OfEightChannels)
{
    check_drawn(ChannelSliceWindows<bhalf_t, 16>("channel-slice windows"), 8, 2);
}
TEST(ChannelSliceWindows, OfSixteenChannels)
{
    check_drawn(ChannelSliceWindows<half_t, 16>("channel-slice windows"), 16, 3);
}
TEST(ChannelSliceWindows, OfThirtyTwoChannels)
{
    check_drawn(ChannelSliceWindows<half_t, 32>("channel-slice windows"), 32, 4);
}

/// More tiles than blocks, so that blocks go from one to the next; more lines than blocks; no
/// image.
TEST(ChannelSliceWindows, ManyTiles)
{
    const ChannelSliceWindows<half_t, 16> instance("channel-slice windows");
    CK_SKIP_WITHOUT_MFMA(instance);
    expect_right(instance, square(480, 1, 16, 9));
    expect_right(instance, square(4, 0, 8, 9));
}

TEST(ChannelSliceWindows, AreRefusedElsewhere)
{
    const ChannelSliceWindows<half_t, 16> instance("channel-slice windows");
    CK_SKIP_WITHOUT_MFMA(instance);
    const auto line = [](L k, L c, L taps, L stride, L dilation) {
        return make_packed_problem<1>(
            8, 1, k, c, {taps}, {400}, {stride}, {dilation}, {1}, {1}, PackedOrder::group_inside);
    };
    ASSERT_EQ(instance.refusal(line(8, 8, 3, 1, 1)), "");
    expect_refusal(instance, line(16, 8, 3, 1, 1), "C is 8 and K is 16");
    expect_refusal(
        instance, line(12, 12, 3, 1, 1), "C is 12, but this kernel's channel slices of 16");
    expect_refusal(
        instance, line(32, 32, 3, 1, 1), "C is 32, but this kernel's channel slices of 16");
    expect_refusal(instance, line(8, 8, 3, 2, 1), "along W the stride is 2, but this kernel");
    expect_refusal(instance, line(8, 8, 19, 1, 1), "the filter has 19 taps, but this kernel has");
    expect_refusal(instance,
                   line(8, 8, 3, 1, 60),
                   "the windows of a tile have more than 180 pixels, which this kernel");
    expect_refusal(
        instance,
        make_packed_problem<2>(3, 1, 4, 4, {3, 3}, {9, 9}, {1, 1}, {1, 1}, {1, 1}, {1, 1}),
        "vectors of 8");
}

} // namespace
} // namespace ck::test
