#pragma once
// The parameter types of the interfaces' MakeArgumentPointer functions.
#include <array>
#include <cstddef>

namespace ck::tensor_operation::device {

namespace detail {

template <class Function>
struct ParametersOf;
template <class Result, class Class, class... P>
struct ParametersOf<Result (Class::*)(P...)>
{
    using type = void(P...);
};

/// Selects the overload of MakeArgumentPointer whose lengths have type Index.
template <class Index,
          class Result,
          class Class,
          class A,
          class B,
          class C,
          class D,
          std::size_t n,
          class... P>
auto overload_of(Result (Class::*f)(A, B, C, D, const std::array<Index, n>&, P...))
{
    return f;
}

} // namespace detail

/// The parameters of a member function, as a function type.
template <class Function>
using parameters_of = typename detail::ParametersOf<Function>::type;

/// The parameters of an interface's MakeArgumentPointer: of the overload whose lengths have type
/// Index.
template <class Interface, class Index>
using grouped_parameters =
    parameters_of<decltype(detail::overload_of<Index>(&Interface::MakeArgumentPointer))>;

} // namespace ck::tensor_operation::device
