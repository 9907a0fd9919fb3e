#include "ck/tensor_description/descriptor.hpp"

#include "ck/tensor_description/transforms.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace ck {
namespace {

struct Conv2d
{
    index_t N, C, Hi, Wi, Y, X, Ho, Wo, sh, sw, dh, dw, ph, pw;
};

/// The input of a forward convolution as [row = (n, ho, wo), column = (y, x, c)].
constexpr auto forward_a(const Conv2d& p)
{
    return strided({p.N, p.Hi, p.Wi, p.C}, {p.Hi * p.Wi * p.C, p.Wi * p.C, p.C, 1}) |
           pad<1>(p.ph, p.ph) | pad<2>(p.pw, p.pw) | embed<1>({p.Y, p.Ho}, {p.dh, p.sh}) |
           embed<3>({p.X, p.Wo}, {p.dw, p.sw}) | merge(Group<0, 2, 4>{}, Group<1, 3, 5>{});
}

constexpr bool agrees_with_the_definition(const Conv2d& p)
{
    const auto a = forward_a(p);
    if(a.template extent<0>() != p.N * p.Ho * p.Wo || a.template extent<1>() != p.Y * p.X * p.C)
        return false;
    for(index_t row = 0; row < p.N * p.Ho * p.Wo; ++row)
        for(index_t column = 0; column < p.Y * p.X * p.C; ++column)
        {
            const index_t n = row / (p.Ho * p.Wo), ho = row / p.Wo % p.Ho, wo = row % p.Wo;
            const index_t y = column / (p.X * p.C), x = column / p.C % p.X, c = column % p.C;
            const index_t h = ho * p.sh + y * p.dh - p.ph, w = wo * p.sw + x * p.dw - p.pw;
            const bool inside = h >= 0 && h < p.Hi && w >= 0 && w < p.Wi;
            const Place got   = a(row, column);
            if(got.valid != inside)
                return false;
            if(inside && got.offset != ((n * p.Hi + h) * p.Wi + w) * p.C + c)
                return false;
        }
    return true;
}

static_assert(agrees_with_the_definition({2, 2, 5, 4, 3, 2, 3, 3, 2, 1, 1, 2, 1, 0}));
constexpr auto small = forward_a({2, 2, 5, 4, 3, 2, 3, 3, 2, 1, 1, 2, 1, 0});
// A template: nvcc cannot spell the type of `small` outside of one.
template <class Small>
constexpr bool is_as_described(const Small&)
{
    static_assert(std::is_trivially_copyable_v<Small> && std::is_aggregate_v<Small>);
    static_assert(std::is_trivially_copyable_v<typename Small::PartType>);
    static_assert(Small::structure.dims == 4 && Small::structure.leaves == 6 &&
                  Small::structure.tops == 2);
    static_assert(Small::structure.checked_count() == 2);
    return true;
}
static_assert(is_as_described(small));

// Which dimension is padded is part of the type.
using PadFirst  = decltype(strided({2, 2}, {2, 1}) | pad<0>(1, 1));
using PadSecond = decltype(strided({2, 2}, {2, 1}) | pad<1>(1, 1));
static_assert(!std::is_same_v<PadFirst, PadSecond>);
using SwapOnce = decltype(strided({2, 2}, {2, 1}) | merge(Group<1>{}, Group<0>{}));
static_assert(!std::is_same_v<SwapOnce, decltype(strided({2, 2}, {2, 1}))>);

TEST(Descriptor, forward_view_of_an_image)
{
    EXPECT_TRUE(agrees_with_the_definition({3, 4, 9, 7, 3, 3, 5, 7, 2, 1, 1, 1, 1, 1}));
    EXPECT_TRUE(agrees_with_the_definition({1, 1, 4, 4, 5, 5, 4, 4, 1, 1, 2, 2, 4, 4}));
    EXPECT_TRUE(agrees_with_the_definition({2, 3, 6, 5, 1, 1, 3, 2, 2, 3, 1, 1, 0, 0}));
}

TEST(Descriptor, a_place_is_the_sum_of_one_part_of_each_coordinate)
{
    for(index_t row = 0; row < small.extent<0>(); ++row)
    {
        const auto row_part = small.part<0>(row);
        for(index_t column = 0; column < small.extent<1>(); ++column)
        {
            const auto sum    = combine(small.part<1>(column), row_part);
            const Place whole = small(row, column);
            ASSERT_EQ(small.inside(sum), whole.valid) << row << ' ' << column;
            ASSERT_EQ(sum.offset, whole.offset) << row << ' ' << column;
        }
    }
}

TEST(Descriptor, coordinates_outside_of_their_extents_are_not_valid)
{
    for(index_t row = 0; row < small.extent<0>(); ++row)
        for(const index_t past : {0, 1, 100, 1 << 20})
            EXPECT_FALSE(small(row, small.extent<1>() + past).valid);
    for(index_t column = 0; column < small.extent<1>(); ++column)
        for(const index_t past : {0, 1, 100, 1 << 30})
            EXPECT_FALSE(small(small.extent<0>() + past, column).valid);
    const auto plain = strided({3}, {2});
    EXPECT_TRUE(plain(0).valid && plain(2).valid);
    EXPECT_FALSE(plain(-1).valid || plain(3).valid || plain(2147483647).valid);
}

TEST(Descriptor, an_empty_digit_empties_its_coordinate)
{
    const auto inner = strided({3, 0}, {5, 1}) | merge(Group<0, 1>{});
    EXPECT_EQ(inner.extent<0>(), 0);
    const auto outer = strided({0, 3}, {5, 1}) | merge(Group<0, 1>{});
    EXPECT_EQ(outer.extent<0>(), 0);
    for(const index_t i : {0, 1, 2, 3, 1000})
        EXPECT_FALSE(inner(i).valid || outer(i).valid) << i;
}

TEST(Descriptor, lengths_without_magic_numbers_are_found)
{
    const auto good  = strided({undivided(3), make_divisor(4)}, {4, 1}) | merge(Group<0, 1>{});
    const auto bad   = strided({make_divisor(3), undivided(4)}, {4, 1}) | merge(Group<0, 1>{});
    const auto alone = strided({undivided(3), undivided(4)}, {4, 1});
    EXPECT_TRUE(good.divisible());
    EXPECT_TRUE(alone.divisible());
    EXPECT_FALSE(bad.divisible());
    for(index_t i = 0; i < 12; ++i)
        EXPECT_EQ(good(i).offset, i);
}

} // namespace
} // namespace ck
