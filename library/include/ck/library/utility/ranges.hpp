#pragma once
// The few range concepts that host utilities need. (clang 14 cannot compile libstdc++'s header
// ranges.)
#include "ck/utility/host_device.hpp"

#include <iterator>
#include <utility>

namespace ck::ranges {

/// The type of a range's begin().
template <class Range>
using iterator_t = decltype(std::begin(std::declval<Range&>()));
/// The type of a range's end().
template <class Range>
using sentinel_t = decltype(std::end(std::declval<Range&>()));
/// The type of a range's elements.
template <class Range>
using range_value_t = std::iter_value_t<iterator_t<Range>>;
/// The type of * of a range's iterator.
template <class Range>
using range_reference_t = std::iter_reference_t<iterator_t<Range>>;

/// Has begin and end.
template <class Range>
concept range = requires(Range& r)
{
    std::begin(r);
    std::end(r);
};
/// Also has a size.
template <class Range>
concept sized_range = range<Range> && requires(Range& r)
{
    std::size(r);
};

/// Whether a type is a range.
template <class Range>
inline constexpr bool is_range_v = range<Range>;
/// Whether a type is a range with a size.
template <class Range>
inline constexpr bool is_sized_range_v = sized_range<Range>;

} // namespace ck::ranges
