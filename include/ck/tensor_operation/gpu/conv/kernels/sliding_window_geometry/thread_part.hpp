#pragma once
// What threads without matrix instructions multiply and add elements as.
#include <cstdint>
#include <type_traits>

namespace ck::grid {

/// Doubles as such; int8 as int32, whose sums are exact; all other types A as floats.
template <class A>
using ThreadPart =
    std::conditional_t<std::is_same_v<A, double>,
                       double,
                       std::conditional_t<std::is_same_v<A, std::int8_t>, std::int32_t, float>>;

} // namespace ck::grid
