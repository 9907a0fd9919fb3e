#pragma once
// Composable Kernel's names for the associated types of iterators.
#include "ck/utility/host_device.hpp"

#include <iterator>

namespace ck {

/// The type of an iterator's elements.
template <class Iterator>
using iter_value_t = std::iter_value_t<Iterator>;
/// The type of *iterator.
template <class Iterator>
using iter_reference_t = std::iter_reference_t<Iterator>;
/// The type of the distance between two iterators.
template <class Iterator>
using iter_difference_t = std::iter_difference_t<Iterator>;

} // namespace ck
