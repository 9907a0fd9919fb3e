#pragma once
// ck::vector_type, under Composable Kernel's name. The library itself uses Vector.
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

#include <type_traits>

namespace ck {

namespace detail {
template <class T>
struct ElementsOf
{
    static constexpr index_t count = 1;
};
template <class T, index_t n>
struct ElementsOf<Vector<T, n>>
{
    static constexpr index_t count = n;
};
} // namespace detail

/// N elements of T, which may be a client's own type. Starts as T{}, and is aligned as Vector is.
/// `type` is the stored type, a plain T if N is 1. Elements can be read and written singly, or in
/// parts as vectors:
///   v.template AsType<T>()(Number<3>{}) = x;
///   v.template AsType<typename vector_type<T, 2>::type>()[Number<1>{}] // elements 2 and 3
template <class T, index_t N>
struct vector_type
{
    static_assert(N > 0);
    using type = std::conditional_t<N == 1, T, Vector<T, N>>;

    CK_HOST_DEVICE constexpr vector_type() : data_{} {}
    CK_HOST_DEVICE constexpr vector_type(type data) : data_{data} {}

    /// The parts of a vector, by Number.
    template <class X, class Data>
    struct Parts
    {
        static constexpr index_t part = detail::ElementsOf<X>::count, count = N / part;
        static_assert(N % part == 0, "the vector is not a whole number of such parts");
        static_assert(sizeof(X) * count == sizeof(type), "parts are T or vectors of T");
        using Part = std::conditional_t<std::is_const_v<Data>, const X, X>;
        Data& data;

        CK_HOST_DEVICE static constexpr index_t Size() { return count; }
        template <index_t i>
        CK_HOST_DEVICE Part& operator()(Number<i>) const
        {
            static_assert(0 <= i && i < count, "there are no so many parts");
            return reinterpret_cast<Part*>(&data)[i];
        }
        template <index_t i>
        CK_HOST_DEVICE const X& operator[](Number<i> number) const
        {
            return (*this)(number);
        }
    };

    template <class X>
    CK_HOST_DEVICE constexpr Parts<X, type> AsType()
    {
        return {data_};
    }
    template <class X>
    CK_HOST_DEVICE constexpr Parts<X, const type> AsType() const
    {
        return {data_};
    }

private:
    type data_;
};

/// The T and the number of elements of a vector_type or of its `type`.
template <class T>
struct scalar_type
{
    using type                           = T;
    static constexpr index_t vector_size = 1;
};
template <class T, index_t N>
struct scalar_type<vector_type<T, N>>
{
    using type                           = T;
    static constexpr index_t vector_size = N;
};
template <class T, index_t N>
struct scalar_type<Vector<T, N>>
{
    using type                           = T;
    static constexpr index_t vector_size = N;
};

} // namespace ck
