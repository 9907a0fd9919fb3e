#pragma once
// Shared memory: whole vectors in one access.
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::arch {

#if defined(CK_LANGUAGE_HIP)
namespace amd {
// The compiler splits a struct into its members before it sees how they are loaded; a vector type
// stays whole.
template <index_t words>
struct Words
{
    using type = std::int32_t __attribute__((ext_vector_type(words)));
};
template <>
struct Words<1>
{
    using type = std::int32_t;
};
} // namespace amd
#endif

/// Reads a Vector that is aligned to its size.
template <class V>
CK_DEVICE CK_INLINE V read_local(const void* at)
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(sizeof(V) % 4 == 0)
        return __builtin_bit_cast(
            V, *static_cast<const typename amd::Words<sizeof(V) / 4>::type*>(at));
#endif
    return *static_cast<const V*>(at);
}

/// Writes a Vector to where it is aligned to its size.
template <class V>
CK_DEVICE CK_INLINE void write_local(void* at, const V& value)
{
#if defined(CK_LANGUAGE_HIP)
    if constexpr(sizeof(V) % 4 == 0)
    {
        using W              = typename amd::Words<sizeof(V) / 4>::type;
        *static_cast<W*>(at) = __builtin_bit_cast(W, value);
        return;
    }
#endif
    *static_cast<V*>(at) = value;
}

} // namespace ck::arch
