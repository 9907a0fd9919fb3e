// Tuple, Sequence and the type aliases that clients of Composable Kernel use.
#include "ck/utility/tuple.hpp"

#include "ck/utility/data_type.hpp"
#include "ck/utility/sequence.hpp"
#include "ck/utility/type.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using ck::Number;

TEST(Tuple, HoldsAndReturnsItsElements)
{
    auto t = ck::make_tuple(1, 2.5, 'c');
    static_assert(ck::is_same_v<decltype(t), ck::Tuple<int, double, char>>);
    EXPECT_EQ(t[Number<0>{}], 1);
    EXPECT_EQ(t.At(Number<1>{}), 2.5);
    EXPECT_EQ(t[Number<2>{}], 'c');

    t(Number<0>{})       = 7;
    t[Number<2>{}]       = 'd';
    const auto& constant = t;
    EXPECT_EQ(constant[Number<0>{}], 7);
    EXPECT_EQ(constant.At(Number<2>{}), 'd');
}

TEST(Tuple, ElementsOfOneTypeStayApart)
{
    const ck::Tuple<int, int> t{3, 4};
    EXPECT_EQ(t[Number<0>{}], 3);
    EXPECT_EQ(t[Number<1>{}], 4);
}

TEST(Tuple, IsAListOfTypes)
{
    using List = ck::Tuple<ck::half_t, float>;
    static_assert(List::Size() == 2 && ck::Tuple<>::Size() == 0);
    static_assert(List::IsTuple() && ck::Tuple<>::IsTuple());
    static_assert(std::is_same_v<ck::tuple_element_t<0, List>, ck::half_t>);
    static_assert(std::is_same_v<ck::tuple_element_t<1, List>, float>);
    static_assert(std::is_same_v<ck::tuple_element_t<0, ck::Tuple<int&>>, int&>);
}

TEST(Tuple, CanBePartOfAKernelsParameters)
{
    static_assert(std::is_trivially_copyable_v<ck::Tuple<int, float>>);
    static_assert(std::is_trivially_copyable_v<ck::Tuple<>>);
    constexpr ck::Tuple<int, float> t{1, 2.f};
    static_assert(t[Number<0>{}] == 1 && t[Number<1>{}] == 2.f);
}

TEST(Tuple, TieAssignsVariables)
{
    int a         = 0;
    unsigned b    = 0;
    ck::tie(a, b) = ck::make_tuple(5, 6u);
    EXPECT_EQ(a, 5);
    EXPECT_EQ(b, 6u);
}

TEST(Sequence, KnowsItsElements)
{
    using S = ck::Sequence<4, 5, 6>;
    static_assert(S::Size() == 3 && ck::Sequence<>::Size() == 0);
    static_assert(S::At(1) == 5);
    static_assert(S::At(Number<2>{}) == 6);
    static_assert(std::is_same_v<decltype(S{}[Number<0>{}]), Number<4>>);
    EXPECT_EQ(S{}[2], 6);
}

TEST(Type, Aliases)
{
    static_assert(ck::is_same_v<ck::remove_cvref_t<const int&>, int>);
    static_assert(ck::is_same_v<ck::conditional_t<true, int, char>, int>);
    EXPECT_EQ(ck::bit_cast<unsigned>(1.0f), 0x3f800000u);
}

} // namespace
