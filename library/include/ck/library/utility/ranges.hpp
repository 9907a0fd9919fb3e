#pragma once
// Ranges as host utilities need them: anything with begin and end. (clang 14 cannot read all of
// libstdc++'s header ranges, so these are a few lines of our own.)
#include "ck/utility/host_device.hpp"

#include <iterator>
#include <utility>

namespace ck::ranges {

/// The type of a range's begin.
template <class Range>
using iterator_t = decltype(std::begin(std::declval<Range&>()));
/// The type of a range's end.
template <class Range>
using sentinel_t = decltype(std::end(std::declval<Range&>()));
/// The type of a range's elements.
template <class Range>
using range_value_t = std::iter_value_t<iterator_t<Range>>;
/// What * of a range's iterator gives.
template <class Range>
using range_reference_t = std::iter_reference_t<iterator_t<Range>>;

/// Has begin and end.
template <class Range>
concept range = requires(Range& r)
{
    std::begin(r);
    std::end(r);
};
/// Has a size, too.
template <class Range>
concept sized_range = range<Range> && requires(Range& r)
{
    std::size(r);
};

/// Whether it is a range.
template <class Range>
inline constexpr bool is_range_v = range<Range>;
/// Whether it is a range with a size.
template <class Range>
inline constexpr bool is_sized_range_v = sized_range<Range>;

} // namespace ck::ranges
