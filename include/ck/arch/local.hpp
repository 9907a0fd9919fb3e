#pragma once
// Shared memory: reads that a wave does together.
#include "ck/utility/vector.hpp"

#include <cstdint>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"

#include <cstring>
#endif

namespace ck::arch {

/// Reads n matrices of 8 rows x 16 bytes. Lane 8*i + r names row r of matrix i (lanes beyond 8*n
/// name anything aligned); lane l gets bytes 4*(l % 4) ... + 3 of row l / 4 of each matrix, or
/// `transposed`, for elements of 2 bytes, the elements of column l / 4 in rows 2*(l % 4) and the
/// next. All 32 lanes call it together (PTX ISA, "ldmatrix").
template <index_t n, bool transposed = false>
CK_DEVICE CK_INLINE Vector<std::uint32_t, n> load_matrices([[maybe_unused]] const void* row)
{
    static_assert(n == 2 || n == 4);
    Vector<std::uint32_t, n> r{};
#if defined(__CUDA_ARCH__)
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
#define CK_LDMATRIX_X4(layout)                                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" layout ".shared.b16 {%0, %1, %2, %3}, [%4];"      \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "r"(at)                                                                         \
                 : "memory")
#define CK_LDMATRIX_X2(layout)                                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" layout ".shared.b16 {%0, %1}, [%2];"              \
                 : "=r"(r[0]), "=r"(r[1])                                                          \
                 : "r"(at)                                                                         \
                 : "memory")
    if constexpr(n == 4 && transposed)
        CK_LDMATRIX_X4(".trans");
    else if constexpr(n == 4)
        CK_LDMATRIX_X4("");
    else if constexpr(transposed)
        CK_LDMATRIX_X2(".trans");
    else
        CK_LDMATRIX_X2("");
#undef CK_LDMATRIX_X4
#undef CK_LDMATRIX_X2
#elif !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
    struct Lane
    {
        const char* row;
        std::uint32_t* result;
    } mine{static_cast<const char*>(row), r.value};
    wave_operation(32, &mine, [](void* const* of_lane) {
        const auto row_of = [&](index_t i, index_t r) {
            return static_cast<Lane*>(of_lane[8 * i + r])->row;
        };
        for(index_t l = 0; l < 32; ++l)
            for(index_t i = 0; i < n; ++i)
            {
                char* result = reinterpret_cast<char*>(&static_cast<Lane*>(of_lane[l])->result[i]);
                if constexpr(transposed)
                    for(index_t e = 0; e < 2; ++e)
                        std::memcpy(result + 2 * e, row_of(i, 2 * (l % 4) + e) + 2 * (l / 4), 2);
                else
                    std::memcpy(result, row_of(i, l / 4) + 4 * (l % 4), 4);
            }
    });
#endif
    return r;
}

} // namespace ck::arch
