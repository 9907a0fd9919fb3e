#pragma once
// Integers known at compile time, and loops over them.
#include "ck/utility/integer.hpp"

#include <type_traits>
#include <utility>

namespace ck {

template <index_t n>
using Number = std::integral_constant<index_t, n>;

/// Calls f(Number<first>{}), f(Number<first + 1>{}) ... up to but without `last`.
template <index_t first, index_t last, class F>
CK_HOST_DEVICE CK_INLINE constexpr void unrolled(F&& f)
{
    [&]<index_t... i>(std::integer_sequence<index_t, i...>) { (f(Number<first + i>{}), ...); }
    (std::make_integer_sequence<index_t, last - first>{});
}

} // namespace ck
