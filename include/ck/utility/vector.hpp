#pragma once
// A fixed-size array aligned to its own size: the unit of one load or store.
#include "ck/utility/integer.hpp"

namespace ck {

namespace detail {
constexpr index_t vector_alignment(index_t bytes)
{
    index_t alignment = 1;
    while(alignment * 2 <= bytes && alignment < 16)
        alignment *= 2;
    return alignment;
}
} // namespace detail

/// `size` elements of T, aligned to their size rounded down to a power of two, at most 16.
template <class T, index_t size>
struct alignas(detail::vector_alignment(size* static_cast<index_t>(sizeof(T)))) Vector
{
    static constexpr index_t length = size;
    using value_type                = T;

    T value[size];

    CK_HOST_DEVICE constexpr T& operator[](index_t i) { return value[i]; }
    CK_HOST_DEVICE constexpr const T& operator[](index_t i) const { return value[i]; }
};

} // namespace ck
