#include "ck/utility/magic_division.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ck {
namespace {

constexpr index_t largest = 2147483647;

static_assert(quotient(17, make_divisor(5)) == 3);
static_assert(quotient(largest, make_divisor(largest)) == 1);

// Numbers at which a wrong multiplier shows first: around the multiples of d, and the ends of the
// range.
void expect_exact_at_the_edges(index_t d, std::mt19937& random)
{
    const Divisor divisor = make_divisor(d);
    ASSERT_TRUE(can_divide(divisor)) << d;
    const auto expect = [&](std::int64_t n) {
        if(n >= 0 && n <= largest)
        {
            ASSERT_EQ(quotient(static_cast<index_t>(n), divisor), n / d) << n << " / " << d;
        }
    };
    const std::int64_t last = largest / d;
    for(const std::int64_t multiple :
        {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, last / 2, last - 1, last})
        for(std::int64_t near = -2; near <= 2; ++near)
            expect(multiple * d + near);
    for(int i = 0; i < 16; ++i)
    {
        const auto n = static_cast<std::int64_t>(random() >> 1);
        expect(n);
        expect(n / d * d - 1);
        expect(n / d * d);
    }
    expect(largest);
}

TEST(MagicDivision, small_by_small)
{
    for(index_t d = 1; d < 300; ++d)
    {
        const Divisor divisor = make_divisor(d);
        for(index_t n = 0; n < 3000; ++n)
            ASSERT_EQ(quotient(n, divisor), n / d) << n << " / " << d;
    }
}

TEST(MagicDivision, all_divisors_up_to_2_to_the_17_at_the_edges)
{
    std::mt19937 random(1);
    for(index_t d = 1; d < 1 << 17; ++d)
        ASSERT_NO_FATAL_FAILURE(expect_exact_at_the_edges(d, random));
}

TEST(MagicDivision, around_powers_of_two_and_at_the_end)
{
    std::mt19937 random(2);
    for(int bit = 0; bit < 31; ++bit)
        for(std::int64_t near = -3; near <= 3; ++near)
        {
            const std::int64_t d = (std::int64_t{1} << bit) + near;
            if(d >= 1 && d <= largest)
            {
                ASSERT_NO_FATAL_FAILURE(expect_exact_at_the_edges(static_cast<index_t>(d), random));
            }
        }
    for(index_t back = 0; back < 1000; ++back)
        ASSERT_NO_FATAL_FAILURE(expect_exact_at_the_edges(largest - back, random));
}

TEST(MagicDivision, random_divisors)
{
    std::mt19937 random(3);
    for(int i = 0; i < 200000; ++i)
    {
        const index_t d = static_cast<index_t>(random() >> (1 + random() % 30));
        if(d >= 1)
        {
            ASSERT_NO_FATAL_FAILURE(expect_exact_at_the_edges(d, random));
        }
    }
}

TEST(MagicDivision, one_number_in_61_by_a_few)
{
    for(const index_t d : {1, 3, 7, 641, 65535, 1 << 30, largest - 1})
    {
        const Divisor divisor = make_divisor(d);
        std::uint32_t bad     = 0;
        for(std::uint32_t n = 0; n <= static_cast<std::uint32_t>(largest); n += 61)
            bad += quotient(static_cast<index_t>(n), divisor) != static_cast<index_t>(n) / d;
        EXPECT_EQ(bad, 0u) << d;
    }
}

TEST(MagicDivision, an_empty_length_divides_to_zero)
{
    for(const index_t n : {0, 1, 12345, largest})
        EXPECT_EQ(quotient(n, make_divisor(0)), 0);
    EXPECT_EQ(make_divisor(0).value, 0);
}

TEST(MagicDivision, undivided_lengths_are_known)
{
    EXPECT_EQ(undivided(7).value, 7);
    EXPECT_FALSE(can_divide(undivided(7)));
    EXPECT_TRUE(can_divide(make_divisor(0)));
}

TEST(MagicDivision, split_off_leaves_the_quotient)
{
    const Divisor five = make_divisor(5);
    for(index_t n = 0; n < 100; ++n)
    {
        index_t rest = n;
        EXPECT_EQ(split_off(rest, five), n % 5);
        EXPECT_EQ(rest, n / 5);
    }
}

TEST(MagicDivision, select_picks_whole_divisors)
{
    const Divisor three = make_divisor(3), five = make_divisor(5);
    for(index_t n = 0; n < 100; ++n)
    {
        EXPECT_EQ(quotient(n, select(true, three, five)), n / 3);
        EXPECT_EQ(quotient(n, select(false, three, five)), n / 5);
    }
    EXPECT_EQ(select(true, three, five).value, 3);
}

TEST(MagicDivision, composable_kernels_names_divide_alike)
{
    for(const std::uint32_t divisor : {1u, 2u, 3u, 7u, 64u, 1000u, 0x7fffffffu})
    {
        const auto magic = MagicDivision::CalculateMagicNumbers(divisor);
        for(const index_t n : {0, 1, 6, 63, 64, 65, 12345, largest})
        {
            EXPECT_EQ(MagicDivision::DoMagicDivision(n, magic[Number<0>{}], magic[Number<1>{}]),
                      n / static_cast<index_t>(divisor));
            EXPECT_EQ(MagicDivision::DoMagicDivision(
                          static_cast<std::uint32_t>(n), magic[Number<0>{}], magic[Number<1>{}]),
                      static_cast<std::uint32_t>(n) / divisor);
        }
    }
}

} // namespace
} // namespace ck
