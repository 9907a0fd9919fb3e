#pragma once
// Composable Kernel's names for the associated types of iterators.
#include <iterator>

namespace ck {

template <class Iterator>
using iter_value_t = std::iter_value_t<Iterator>;
template <class Iterator>
using iter_reference_t = std::iter_reference_t<Iterator>;
template <class Iterator>
using iter_difference_t = std::iter_difference_t<Iterator>;

} // namespace ck
