// Offsets of numbered elements in several tensors.
#include "ck/tensor_description/flat_index.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck {
namespace {

template <std::size_t n>
using Longs = std::array<long_index_t, n>;

TEST(FlatIndex, FindsEveryElementOnce)
{
    const Longs<4> lengths{3, 1, 4, 5};
    const std::array<Longs<4>, 2> strides{{{7, 100, 30, 1000}, {1, 9, 3, 12}}};
    const auto index = FlatIndex<6, 2>::make(lengths, strides);
    EXPECT_EQ(index.count, 60);
    std::set<std::pair<long_index_t, long_index_t>> expected, found;
    for(long_index_t i = 0; i < 3; ++i)
        for(long_index_t j = 0; j < 4; ++j)
            for(long_index_t k = 0; k < 5; ++k)
                expected.emplace(7 * i + 30 * j + 1000 * k, i + 3 * j + 12 * k);
    for(long_index_t number = 0; number < index.count; ++number)
        found.emplace(index(number)[0], index(number)[1]);
    EXPECT_EQ(found, expected);
}

TEST(FlatIndex, CountsAlongTheFirstTensorsMemory)
{
    const auto index =
        FlatIndex<6, 2>::make(Longs<2>{5, 7}, std::array<Longs<2>, 2>{{{1, 5}, {7, 1}}});
    for(long_index_t number = 0; number < 35; ++number)
        EXPECT_EQ(index(number)[0], number);
}

TEST(FlatIndex, MakesPackedDimensionsOne)
{
    const Longs<5> lengths{2, 3, 1, 4, 5}, packed{60, 20, 77, 5, 1}, gap{100, 20, 3, 5, 1};
    EXPECT_EQ((FlatIndex<6, 1>::make(lengths, std::array<Longs<5>, 1>{packed}).dims), 1);
    EXPECT_EQ((FlatIndex<6, 2>::make(lengths, std::array<Longs<5>, 2>{packed, gap}).dims), 2);
    EXPECT_EQ((FlatIndex<6, 1>::make(Longs<1>{1}, std::array<Longs<1>, 1>{}).dims), 0);
    EXPECT_EQ((FlatIndex<6, 1>::make(Longs<2>{0, 3}, std::array<Longs<2>, 1>{}).count), 0);
}

TEST(FlatIndex, HasNumbersAndOffsetsBeyond32Bits)
{
    const Longs<3> lengths{5, 70000, 70000}, strides{6000000000, 80000, 1};
    const auto index = FlatIndex<6, 1>::make(lengths, std::array<Longs<3>, 1>{strides});
    EXPECT_EQ(index.count, 5 * 70000ll * 70000);
    for(const Longs<3>& at : {Longs<3>{4, 69999, 69999}, {0, 65000, 3}, {3, 0, 1}, {1, 69999, 0}})
        EXPECT_EQ(index((at[0] * 70000 + at[1]) * 70000 + at[2])[0],
                  at[0] * strides[0] + at[1] * strides[1] + at[2]);
}

} // namespace
} // namespace ck
