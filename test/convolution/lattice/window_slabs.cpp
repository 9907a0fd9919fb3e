// Many small groups by MFMA (grid/gridwise_window_slab_conv.hpp).
#include "tables/window_slabs.hpp"

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

/// Slabs of so many channels; tiles of 64 pixels by two waves.
template <class T, index_t slab, index_t taps, index_t room>
inline constexpr GemmTuning
    tuning_of_slabs = tables::window_slabs(mfma_of<T>, slab, taps, 64, 2, room, 2);
template <class T, index_t slab, index_t taps = 9, index_t room = 180>
using WindowSlabs = InstanceOf<T, tuning_of_slabs<T, slab, taps, room>>;

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

/// Problems of any rank with that many channels a group, drawn; how many are computed.
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

TEST(WindowSlabs, OfFourChannels) { check_drawn(WindowSlabs<half_t, 16>("window slabs"), 4, 1); }
TEST(WindowSlabs, OfEightChannels) { check_drawn(WindowSlabs<bhalf_t, 16>("window slabs"), 8, 2); }
TEST(WindowSlabs, OfSixteenChannels)
{
    check_drawn(WindowSlabs<half_t, 16, 18, 324>("window slabs"), 16, 3);
}
TEST(WindowSlabs, OfThirtyTwoChannels)
{
    check_drawn(WindowSlabs<bhalf_t, 32>("window slabs"), 32, 4);
}

} // namespace
} // namespace ck::test
