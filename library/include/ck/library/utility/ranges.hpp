#pragma once
// Ranges as host utilities need them: anything with begin and end. (clang 14 cannot read all of
// libstdc++'s <ranges>, so these are a few lines of our own.)
#include "ck/utility/host_device.hpp"

#include <iterator>
#include <utility>

namespace ck::ranges {

template <class Range>
using iterator_t = decltype(std::begin(std::declval<Range&>()));
template <class Range>
using sentinel_t = decltype(std::end(std::declval<Range&>()));
template <class Range>
using range_value_t = std::iter_value_t<iterator_t<Range>>;
template <class Range>
using range_reference_t = std::iter_reference_t<iterator_t<Range>>;

template <class Range>
concept range = requires(Range& r)
{
    std::begin(r);
    std::end(r);
};
template <class Range>
concept sized_range = range<Range> && requires(Range& r)
{
    std::size(r);
};

template <class Range>
inline constexpr bool is_range_v = range<Range>;
template <class Range>
inline constexpr bool is_sized_range_v = sized_range<Range>;

} // namespace ck::ranges
