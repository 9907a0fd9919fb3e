// Which elements split_scaling compares, and that the definition is that of plain loops at every
// element.
//
// Labels: compiled alone
#include "split_samples.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::profiler {
namespace {

using Place = std::array<long_index_t, 3>;

const SplitProblem small{.channels = 2, .filters = 3, .depth = 3, .width = 4};
const SplitTensors tensors{{11, 2}, {12, 1}, {13, 2}};

/// Visits each place within the lengths, in their order in memory.
template <class F>
void for_each_place(const Place& lengths, const F& f)
{
    for(long_index_t z = 0; z < lengths[0]; ++z)
        for(long_index_t y = 0; y < lengths[1]; ++y)
            for(long_index_t x = 0; x < lengths[2]; ++x)
                f(Place{z, y, x});
}

/// Y, dX or dW of the small problem: what each pair of pixels adds to it.
std::vector<double> sums(Direction direction)
{
    const SplitProblem& p = small;
    const auto voxel = [&](const Place& v) { return (v[0] * p.width + v[1]) * p.width + v[2]; };
    std::vector<double> all(400, 0.);
    for_each_place({p.depth, p.width, p.width}, [&](const Place& y) {
        for_each_place({3, 3, 3}, [&](const Place& tap) {
            Place x{};
            for(std::size_t i = 0; i < 3; ++i)
                x[i] = y[i] + tap[i] - 1;
            const Place lengths{p.depth, p.width, p.width};
            for(std::size_t i = 0; i < 3; ++i)
                if(x[i] < 0 || x[i] >= lengths[i])
                    return;
            for(long_index_t k = 0; k < p.filters; ++k)
                for(long_index_t c = 0; c < p.channels; ++c)
                {
                    const long_index_t at_y = voxel(y) * p.filters + k,
                                       at_x = voxel(x) * p.channels + c,
                                       at_w = (k * 27 + tap[0] * 9 + tap[1] * 3 + tap[2]) *
                                                  p.channels +
                                              c;
                    const auto add = [&](long_index_t to, float a, float b) {
                        all.at(static_cast<std::size_t>(to)) += static_cast<double>(a * b);
                    };
                    if(direction == Direction::forward)
                        add(at_y, tensors.x[at_x], tensors.w[at_w]);
                    else if(direction == Direction::backward_data)
                        add(at_x, tensors.dy[at_y], tensors.w[at_w]);
                    else
                        add(at_w, tensors.dy[at_y], tensors.x[at_x]);
                }
        });
    });
    return all;
}

TEST(SplitSamples, EveryElementIsThatOfPlainLoops)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        const bool weight                  = direction == Direction::backward_weight;
        const std::vector<double> expected = sums(direction);
        const long_index_t channels =
            direction == Direction::forward ? small.filters : small.channels;
        std::set<long_index_t> seen;
        for(long_index_t k = 0; k < (weight ? small.filters : 1); ++k)
            for_each_place(
                weight ? Place{3, 3, 3} : Place{small.depth, small.width, small.width},
                [&](const Place& at) {
                    for(long_index_t c = 0; c < channels; ++c)
                    {
                        const SplitElement e = split_element(small, tensors, direction, {at, c, k});
                        EXPECT_EQ(e.index, static_cast<long_index_t>(seen.size()));
                        seen.insert(e.index);
                        EXPECT_EQ(e.value, expected.at(static_cast<std::size_t>(e.index)))
                            << static_cast<int>(direction) << " element " << e.index;
                    }
                });
        EXPECT_EQ(seen.size(), weight ? 162u : direction == Direction::forward ? 144u : 96u);
    }
}

TEST(SplitSamples, OfEachRowAreCornersEdgesAndOneBetween)
{
    const SplitProblem wide{.channels = 5, .filters = 7, .depth = 300, .width = 9};
    for(const Direction direction : {Direction::forward, Direction::backward_data})
    {
        const auto samples = split_samples(wide, direction, {40, 240}, 1);
        ASSERT_EQ(samples.size(), 1800u);
        std::set<long_index_t> channels;
        std::array<std::set<long_index_t>, 9> heights, widths; // [n]: of the n-th sample of a row
        for(std::size_t i = 0; i < samples.size(); ++i)
        {
            EXPECT_EQ(samples[i].at[0], 40 + static_cast<long_index_t>(i / 9));
            heights[i % 9].insert(samples[i].at[1]);
            widths[i % 9].insert(samples[i].at[2]);
            channels.insert(samples[i].channel);
        }
        using Set = std::set<long_index_t>;
        const std::array<Set, 3> places{Set{0}, Set{8}, Set{0, 1, 2, 3, 4, 5, 6, 7, 8}};
        for(std::size_t i = 0; i < 9; ++i)
        {
            EXPECT_EQ(heights[i], places[i / 3]);
            EXPECT_EQ(widths[i], places[i % 3]);
        }
        EXPECT_EQ(channels,
                  direction == Direction::forward ? (Set{0, 1, 2, 3, 4, 5, 6})
                                                  : (Set{0, 1, 2, 3, 4}));
    }
    EXPECT_TRUE(split_samples(wide, Direction::forward, {40, 40}, 0).empty());
}

TEST(SplitSamples, OfDwAreFourAnywhere)
{
    const SplitProblem p{.channels = 5, .filters = 7, .depth = 4, .width = 4};
    std::set<long_index_t> channels, filters;
    std::array<std::set<long_index_t>, 3> taps;
    for(int rank = 0; rank < 200; ++rank)
    {
        const auto samples = split_samples(p, Direction::backward_weight, {}, rank);
        ASSERT_EQ(samples.size(), 4u);
        for(const SplitSample& s : samples)
        {
            channels.insert(s.channel);
            filters.insert(s.filter);
            for(std::size_t i = 0; i < 3; ++i)
                taps[i].insert(s.at[i]);
        }
    }
    EXPECT_EQ(channels, (std::set<long_index_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(filters, (std::set<long_index_t>{0, 1, 2, 3, 4, 5, 6}));
    for(const auto& axis : taps)
        EXPECT_EQ(axis, (std::set<long_index_t>{0, 1, 2}));
    const auto count = [](long_index_t depth) {
        return split_samples({.depth = depth, .width = 8}, Direction::backward_weight, {}, 0)
            .size();
    };
    EXPECT_EQ(count(1 << 20), 4u);
    EXPECT_EQ(count((1 << 20) + 1), 1u) << "a sum of more than 2^26 terms";
}

TEST(SplitSamples, OtherRanksDrawOthersAndEachTheSameAgain)
{
    const auto drawn = [](int rank) {
        std::vector<long_index_t> all;
        for(const SplitSample& s : split_samples({.channels = 1000, .filters = 1000, .width = 1000},
                                                 Direction::forward,
                                                 {0, 1},
                                                 rank))
            all.push_back(s.channel);
        return all;
    };
    EXPECT_EQ(drawn(3), drawn(3));
    std::set<std::vector<long_index_t>> all;
    for(int rank = 0; rank < 8; ++rank)
        all.insert(drawn(rank));
    EXPECT_EQ(all.size(), 8u);
    const std::vector<long_index_t> one = drawn(0);
    EXPECT_GE((std::set<long_index_t>(one.begin(), one.end()).size()), 8u)
        << "and each another one";
}

} // namespace
} // namespace ck::profiler
