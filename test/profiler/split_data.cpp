// The numbers in split_scaling's tensors.
#include "split_data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace ck::profiler {
namespace {

TEST(HashedTensor, IntegersAreAllThereAreAsOften)
{
    for(const index_t most : {1, 2, 5})
    {
        const HashedTensor t{7, most};
        std::array<int, 11> count{};
        constexpr int all = 20000;
        for(int i = 0; i < all; ++i)
        {
            const float x = t[i];
            ASSERT_EQ(x, static_cast<float>(static_cast<int>(x)));
            ASSERT_LE(std::abs(x), static_cast<float>(most));
            ++count[static_cast<std::size_t>(x + 5)];
        }
        for(index_t x = -most; x <= most; ++x)
            EXPECT_NEAR(count[static_cast<std::size_t>(x + 5)], all / (2 * most + 1), all / 50)
                << x << " of " << most;
    }
}

TEST(HashedTensor, DecimalsAreFromMinusOneToBelowOne)
{
    const HashedTensor t{7, 0};
    std::array<int, 8> count{};
    std::set<float> seen;
    constexpr int all = 20000;
    for(int i = 0; i < all; ++i)
    {
        const float x = t[i];
        ASSERT_GE(x, -1.f);
        ASSERT_LT(x, 1.f);
        ++count[static_cast<std::size_t>((x + 1) * 4)];
        seen.insert(x);
    }
    for(const int of_eighth : count)
        EXPECT_NEAR(of_eighth, all / 8, all / 50);
    EXPECT_GT(seen.size(), all - 100u) << "24 bits";
}

TEST(HashedTensor, SeedsHaveOtherNumbers)
{
    for(const index_t most : {0, 5})
    {
        int same = 0;
        for(int i = 0; i < 1000; ++i)
            same += HashedTensor{1, most}[i] == HashedTensor{2, most}[i];
        EXPECT_LT(same, most == 0 ? 10 : 200);
    }
}

/// X, W and dY must not be mistaken for one another, nor most wrong sums for right ones.
TEST(SplitTensors, HaveOtherNumbers)
{
    for(const bool integers : {false, true})
    {
        const SplitTensors t = split_tensors(integers);
        const HashedTensor* const all[]{&t.x, &t.w, &t.dy};
        for(const HashedTensor* const a : all)
        {
            EXPECT_EQ(a->most > 0, integers);
            for(const HashedTensor* const b : all)
                EXPECT_EQ(a->seed == b->seed, a == b);
        }
    }
    const SplitTensors t = split_tensors(true);
    EXPECT_EQ(t.x.most, 2);
    EXPECT_EQ(t.w.most, 1);
    EXPECT_EQ(t.dy.most, 2);
}

} // namespace
} // namespace ck::profiler
