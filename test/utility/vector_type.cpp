// Vectors as Composable Kernel's clients write and read them.
//
// Labels: not sanitized
#include "ck/utility/data_type.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace ck {
namespace {

/// A type of a client's, which no hardware has vectors of.
template <class T>
struct Custom
{
    using type = T;
    T data{7};
    constexpr Custom() : data{} {}
    constexpr Custom(T value) : data{value} {}
    friend bool operator==(const Custom&, const Custom&) = default;
};
struct Complex
{
    using type = half_t;
    half_t real{}, imaginary{};
};

template <class X, index_t n>
void expect_elements_survive()
{
    const auto value = [](auto i) { return X(static_cast<typename X::type>(3 * i.value + 1)); };
    vector_type<X, n> v;
    static_for<0, n, 1>{}([&](auto i) { EXPECT_EQ(v.template AsType<X>()(i), X{}) << i.value; });
    static_for<0, n, 1>{}([&](auto i) { v.template AsType<X>()(Number<i>{}) = value(i); });
    const vector_type<X, n> copy{v};
    v.template AsType<X>()(Number<0>{}) = X{};
    static_for<0, n, 1>{}(
        [&](auto i) { EXPECT_EQ(copy.template AsType<X>()[i], value(i)) << i.value; });
    // Halves of it, and the whole.
    using Half = typename vector_type<X, n / 2>::type;
    static_assert(decltype(copy.template AsType<Half>())::Size() == 2);
    const vector_type<X, n / 2> upper{copy.template AsType<Half>()[Number<1>{}]};
    static_for<0, n / 2, 1>{}([&](auto i) {
        EXPECT_EQ(upper.template AsType<X>()[i], value(Number<i + n / 2>{})) << i.value;
    });
    vector_type<X, n> whole;
    whole.template AsType<typename vector_type<X, n>::type>()(Number<0>{}) =
        copy.template AsType<typename vector_type<X, n>::type>()[Number<0>{}];
    static_for<0, n, 1>{}(
        [&](auto i) { EXPECT_EQ(whole.template AsType<X>()(i), value(i)) << i.value; });
}

template <class X>
void expect_elements_survive()
{
    expect_elements_survive<X, 2>();
    expect_elements_survive<X, 4>();
    expect_elements_survive<X, 8>();
    expect_elements_survive<X, 16>();
    expect_elements_survive<X, 32>();
    expect_elements_survive<X, 64>();
}

TEST(VectorType, elements_and_parts_of_custom_types_survive)
{
    expect_elements_survive<Custom<bool>>();
    expect_elements_survive<Custom<std::int8_t>>();
    expect_elements_survive<Custom<std::uint8_t>>();
    expect_elements_survive<Custom<half_t>>();
    expect_elements_survive<Custom<bhalf_t>>();
    expect_elements_survive<Custom<float>>();
    expect_elements_survive<Custom<double>>();
}

TEST(VectorType, is_as_large_as_its_elements)
{
    static_assert(sizeof(Custom<bool>) == sizeof(bool) &&
                  sizeof(vector_type<Custom<bool>, 2>) == sizeof(vector_type<bool, 2>) &&
                  sizeof(vector_type<Custom<half_t>, 64>) == 64 * sizeof(half_t) &&
                  sizeof(vector_type<Complex, 2>) == sizeof(vector_type<half_t, 4>));
    EXPECT_EQ(alignof(vector_type<float, 4>), 16U);
    EXPECT_EQ(alignof(vector_type<Custom<std::int8_t>, 4>), 4U);
}

TEST(VectorType, one_element_is_the_element)
{
    static_assert(std::is_same_v<vector_type<float, 1>::type, float>);
    vector_type<float, 1> v{2.5F};
    EXPECT_EQ(v.AsType<float>()[Number<0>{}], 2.5F);
    static_assert(std::is_same_v<scalar_type<vector_type<half_t, 4>::type>::type, half_t> &&
                  scalar_type<vector_type<half_t, 4>>::vector_size == 4 &&
                  scalar_type<float>::vector_size == 1);
}

} // namespace
} // namespace ck
