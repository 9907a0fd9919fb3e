#pragma once
// A fixed-size array aligned to its own size: what one load or store moves.
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

/// `size` elements of T, aligned to the largest power of two that is at most their size and 16.
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
