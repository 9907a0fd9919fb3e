#pragma once
// Integers known at compile time, and loops over them.
#include "ck/utility/integer.hpp"

#include <type_traits>
#include <utility>

namespace ck {

template <index_t n>
using Number = std::integral_constant<index_t, n>;

/// Calls f(Number<first>{}), f(Number<first + 1>{}) ... up to Number<last - 1>. The list of calls
/// is inlined: otherwise clang 19 calls gfx942's dot products of eight-bit floats, whose
/// accumulators are then in scratch memory.
template <index_t first, index_t last, class F>
CK_HOST_DEVICE CK_INLINE constexpr void unrolled(F&& f)
{
    [&]<index_t... i>(std::integer_sequence<index_t, i...>) __attribute__((always_inline))
    {
        (f(Number<first + i>{}), ...);
    }
    (std::make_integer_sequence<index_t, last - first>{});
}

/// Calls f(0), f(1) ... f(count - 1) with plain numbers. They are constants once the calls are
/// inlined, as clang is told to do. Cheaper to compile than unrolled(), since f is one
/// function.
template <index_t count, class F>
CK_HOST_DEVICE CK_INLINE constexpr void repeat(F&& f)
{
    if constexpr(count > 0)
        [&]<index_t... i>(std::integer_sequence<index_t, i...>) { CK_INLINE_CALLS(f(i), ...); }
    (std::make_integer_sequence<index_t, count>{});
}

/// The same with the list of calls inlined, too. For bodies with many branches (tanh, 16 times),
/// whose list clang 15 would otherwise call, with the accumulators in scratch memory. On the host
/// it is a loop, whose body is compiled once.
template <index_t count, class F>
CK_HOST_DEVICE CK_INLINE constexpr void repeat_in_place(F&& f)
{
#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    for(index_t i = 0; i < count; ++i)
        f(i);
#else
    if constexpr(count > 0)
        [&]<index_t... i>(std::integer_sequence<index_t, i...>) __attribute__((always_inline))
        {
            CK_INLINE_CALLS(f(i), ...);
        }
    (std::make_integer_sequence<index_t, count>{});
#endif
}

/// Calls f(Number<first>{}), f(Number<first + step>{}) ... up to `last`, exclusive. Composable
/// Kernel's spelling: static_for<0, 4, 1>{}([](auto i) { ... }).
template <index_t first, index_t last, index_t step>
struct static_for
{
    static_assert(step != 0 && (last - first) % step == 0 && (last - first) / step >= 0,
                  "the steps must end at `last`");

    template <class F>
    CK_HOST_DEVICE constexpr void operator()(F f) const
    {
        unrolled<0, (last - first) / step>([&](auto i) { f(Number<first + i * step>{}); });
    }
};

/// A value that is computed once. clang for HIP evaluates the initializer of a static member up to
/// four times.
template <auto v>
struct Constant
{
    static constexpr auto value = v;
};

} // namespace ck
