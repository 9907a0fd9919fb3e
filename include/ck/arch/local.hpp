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
