#pragma once
// Integers known at compile time, and loops over them.
#include "ck/utility/integer.hpp"

#include <type_traits>
#include <utility>

namespace ck {

template <index_t n>
using Number = std::integral_constant<index_t, n>;

/// Calls f(Number<first>{}), f(Number<first + 1>{}) ... up to but without `last`. The list of calls
/// is inlined: clang 19 would call gfx942's dot products of eight-bit floats, whose accumulators
/// would be in scratch memory.
template <index_t first, index_t last, class F>
CK_HOST_DEVICE CK_INLINE constexpr void unrolled(F&& f)
{
    [&]<index_t... i>(std::integer_sequence<index_t, i...>) __attribute__((always_inline))
    {
        (f(Number<first + i>{}), ...);
    }
    (std::make_integer_sequence<index_t, last - first>{});
}

/// Calls f(0), f(1) ... up to but without f(count), with plain numbers: constants, once the calls
/// are inlined, as clang is told to. Cheaper to compile than unrolled(): f is one function, however
/// often it is called.
template <index_t count, class F>
CK_HOST_DEVICE CK_INLINE constexpr void repeat(F&& f)
{
    if constexpr(count > 0)
        [&]<index_t... i>(std::integer_sequence<index_t, i...>) { CK_INLINE_CALLS(f(i), ...); }
    (std::make_integer_sequence<index_t, count>{});
}

/// The same, the list of calls inlined, too: for bodies of many branches (tanh, 16 times), whose
/// list would be a call, and the accumulators that it reads in scratch memory (clang 15). On the
/// host a loop, whose body is compiled once.
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

/// f(Number<first>{}), f(Number<first + step>{}) ... before `last`, as Composable Kernel spells it:
/// static_for<0, 4, 1>{}([](auto i) { ... }).
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

/// A value that is computed once. The initialiser of a static member is evaluated up to four times
/// by clang for HIP.
template <auto v>
struct Constant
{
    static constexpr auto value = v;
};

} // namespace ck
