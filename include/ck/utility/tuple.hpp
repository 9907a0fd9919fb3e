#pragma once
// Tuple: values of different types, indexed by Number<i>; also a plain list of types (D data types,
// D layouts). Trivially copyable if its elements are, so that it can be part of a kernel's
// parameters.
#include "ck/utility/number.hpp"

#include <type_traits>
#include <utility>

namespace ck {

namespace detail {

template <index_t i, class X>
struct TupleElement
{
    X value;
};

template <class Indices, class... Xs>
struct TupleElements;

template <index_t... i, class... Xs>
struct TupleElements<std::integer_sequence<index_t, i...>, Xs...> : TupleElement<i, Xs>...
{
    TupleElements() = default;
    CK_HOST_DEVICE constexpr TupleElements(Xs... xs) requires(sizeof...(Xs) > 0)
        : TupleElement<i, Xs>{static_cast<Xs&&>(xs)}...
    {}
};

/// The i-th element: base-class deduction finds its type.
template <index_t i, class X>
CK_HOST_DEVICE constexpr X& tuple_get(TupleElement<i, X>& element)
{
    return element.value;
}
template <index_t i, class X>
CK_HOST_DEVICE constexpr const X& tuple_get(const TupleElement<i, X>& element)
{
    return element.value;
}
template <index_t i, class X>
std::type_identity<X> element_type(const TupleElement<i, X>&);

} // namespace detail

template <class... Xs>
struct Tuple : detail::TupleElements<std::make_integer_sequence<index_t, sizeof...(Xs)>, Xs...>
{
    using Elements =
        detail::TupleElements<std::make_integer_sequence<index_t, sizeof...(Xs)>, Xs...>;
    using Elements::Elements;

    Tuple() = default;

    CK_HOST_DEVICE static constexpr index_t Size() { return sizeof...(Xs); }
    CK_HOST_DEVICE static constexpr bool IsTuple() { return true; }

    template <index_t i>
    CK_HOST_DEVICE constexpr const auto& At(Number<i>) const
    {
        return detail::tuple_get<i>(*this);
    }
    template <index_t i>
    CK_HOST_DEVICE constexpr auto& At(Number<i>)
    {
        return detail::tuple_get<i>(*this);
    }

    template <index_t i>
    CK_HOST_DEVICE constexpr const auto& operator[](Number<i> n) const
    {
        return At(n);
    }
    /// Composable Kernel's name for mutable access.
    template <index_t i>
    CK_HOST_DEVICE constexpr auto& operator[](Number<i> n)
    {
        return At(n);
    }
    template <index_t i>
    CK_HOST_DEVICE constexpr auto& operator()(Number<i> n)
    {
        return At(n);
    }

    /// Assigns element by element, which makes tie(a, b) = f() work.
    template <class... Ys>
    requires(sizeof...(Ys) == sizeof...(Xs) && !std::is_same_v<Tuple<Ys...>, Tuple>) CK_HOST_DEVICE
        constexpr Tuple&
        operator=(const Tuple<Ys...>& other)
    {
        unrolled<0, sizeof...(Xs)>([&](auto i) { At(i) = other.At(i); });
        return *this;
    }
};

template <class... Xs>
CK_HOST_DEVICE constexpr auto make_tuple(Xs&&... xs)
{
    return Tuple<std::remove_cvref_t<Xs>...>(static_cast<Xs&&>(xs)...);
}

/// References to variables that a tuple will be assigned to.
template <class... Xs>
CK_HOST_DEVICE constexpr Tuple<Xs&...> tie(Xs&... xs)
{
    return {xs...};
}

template <index_t i, class T>
struct tuple_element
{
    using type = typename decltype(detail::element_type<i>(std::declval<T>()))::type;
};
template <index_t i, class T>
using tuple_element_t = typename tuple_element<i, T>::type;

} // namespace ck
