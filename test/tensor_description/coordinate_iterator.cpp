// An iterator along a top coordinate gives the parts that divisions give.
#include "ck/tensor_description/coordinate_iterator.hpp"

#include "ck/tensor_description/transforms.hpp"

#include <gtest/gtest.h>

namespace ck {
namespace {

/// A tensor [n, h, w, c] as [row = (n, ho, wo), tap = (y, x), c], windows of y x x with padding.
constexpr auto windows(index_t y, index_t x, index_t dilation, index_t pad_low)
{
    return strided({2, 9, 7, 5}, {315, 35, 5, 1}) | pad<1>(pad_low, 0) | pad<2>(pad_low, 1) |
           embed<1>({y, 4}, {dilation, 2}) | embed<3>({x, 6}, {1, 1}) |
           merge(Group<0, 2, 4>{}, Group<1, 3>{}, Group<5>{});
}

template <index_t top, class View>
constexpr bool agrees(const View& view)
{
    CoordinateIterator<View, top> iterator;
    for(index_t i = 0; i < view.template extent<top>(); ++i)
    {
        const auto expected = view.template part<top>(i), got = iterator.part();
        if(got.offset != expected.offset)
            return false;
        for(index_t d = 0; d < View::PartType::indices; ++d)
            if(got.index[d] != expected.index[d])
                return false;
        iterator.next(view);
    }
    return true;
}

/// The same of two views' iterators, one of which counts the digits.
template <class View, class Other>
constexpr bool agree_together(const View& view, const Other& other)
{
    CoordinateIterator<View, 1> iterator;
    CoordinateIterator<Other, 1> along;
    for(index_t i = 0; i < view.template extent<1>(); ++i)
    {
        if(iterator.part().offset != view.template part<1>(i).offset ||
           along.part().offset != other.template part<1>(i).offset)
            return false;
        iterator.next(view, along, other);
    }
    return true;
}
/// Filters [k, y, x, c] as [k, tap = (y, x), c], or with one digit for all taps.
constexpr auto filters(index_t y, index_t x)
{
    return strided({3, y, x, 5}, {500, 100, 6, 1}) | merge(Group<0>{}, Group<1, 2>{}, Group<3>{});
}
constexpr auto packed_filters(index_t taps)
{
    return strided({3, taps, 5}, {500, 5, 1}) | merge(Group<0>{}, Group<1>{}, Group<2>{});
}
static_assert(agree_together(windows(3, 4, 1, 1), filters(3, 4)));
static_assert(agree_together(windows(2, 1, 1, 1), filters(2, 1)));
static_assert(agree_together(windows(3, 4, 1, 1), packed_filters(12)));

static_assert(agrees<1>(windows(3, 3, 1, 1)));
static_assert(agrees<1>(windows(1, 1, 1, 0)));
static_assert(agrees<1>(windows(1, 4, 2, 2)));
static_assert(agrees<2>(windows(3, 3, 1, 1)));

TEST(CoordinateIterator, GivesThePartsOfATopCoordinate)
{
    for(const index_t y : {1, 2, 5})
        for(const index_t x : {1, 3, 4})
            for(const index_t dilation : {1, 3})
                EXPECT_TRUE(agrees<1>(windows(y, x, dilation, 2)))
                    << y << " x " << x << ", dilation " << dilation;
}

} // namespace
} // namespace ck
