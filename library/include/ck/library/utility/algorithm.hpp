#pragma once
// Standard algorithms on whole ranges. Elements are converted as by assignment (from size_t to
// index_t, for example).
#include "ck/library/utility/ranges.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace ck::ranges {

/// Copies a range to output; returns the end of what was written.
template <range Input, class OutputIterator>
OutputIterator copy(const Input& input, OutputIterator output)
{
    return std::copy(std::begin(input), std::end(input), output);
}

/// Sets every element of a range.
template <class T, range Output>
void fill(Output&& output, const T& value)
{
    std::fill(std::begin(output), std::end(output), value);
}

/// Writes f(element) for each element; returns the end of what was written.
template <range Input, class OutputIterator, class F>
OutputIterator transform(const Input& input, OutputIterator output, F f)
{
    return std::transform(std::begin(input), std::end(input), output, std::move(f));
}

} // namespace ck::ranges
