#pragma once
// Shared memory: whole vectors in one access.
#include "ck/utility/vector.hpp"

#include <cstdint>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"

#include <cstring>
#endif

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

/// Reads n matrices of 8 rows x 16 bytes. Lane 8*i + r names row r of matrix i (lanes beyond 8*n
/// name anything aligned); lane l gets bytes 4*(l % 4) ... + 3 of row l / 4 of each matrix. All 32
/// lanes call it together (PTX ISA, "ldmatrix").
template <index_t n>
CK_DEVICE CK_INLINE Vector<std::uint32_t, n> load_matrices([[maybe_unused]] const void* row)
{
    static_assert(n == 2 || n == 4);
    Vector<std::uint32_t, n> r{};
#if defined(__CUDA_ARCH__)
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    if constexpr(n == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(r[0]), "=r"(r[1])
                     : "r"(at)
                     : "memory");
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    struct Lane
    {
        const char* row;
        std::uint32_t* result;
    } mine{static_cast<const char*>(row), r.value};
    wave_operation(32, &mine, [](void* const* of_lane) {
        for(index_t l = 0; l < 32; ++l)
            for(index_t i = 0; i < n; ++i)
                std::memcpy(&static_cast<Lane*>(of_lane[l])->result[i],
                            static_cast<Lane*>(of_lane[8 * i + l / 4])->row + 4 * (l % 4),
                            4);
    });
#endif
    return r;
}

} // namespace ck::arch
