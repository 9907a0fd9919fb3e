#pragma once
// Shared memory: collective reads of a wave.
#include "ck/arch/target.hpp"
#include "ck/arch/transpose.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"

#include <cstring>
#endif

namespace ck::arch {

/// Reads n matrices of 8 rows x 16 bytes. Lane 8*i + r passes the address of row r of matrix i
/// (lanes from 8*n on pass any aligned address). Lane l receives bytes 4*(l % 4) ... + 3 of row l /
/// 4 of each matrix. `transposed`, for 2-byte elements: it receives the elements of column l / 4 in
/// rows 2*(l % 4) and the next. All 32 lanes call it together (PTX ISA, "ldmatrix").
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

/// Reads 32 rows of 16 one-byte elements. Lane r passes the address of row r. Lane l receives
/// elements 2*(l / 4) and the next of eight rows: [0] has the first of the two in rows 2*(l % 4),
/// the next, and the two rows 8 later, [1] the second; [2] and [3] have the same 16 rows later. All
/// 32 lanes call it together.
CK_DEVICE CK_INLINE Vector<std::uint32_t, 4> load_bytes_transposed(const void* row)
{
    const auto pairs = load_matrices<4, true>(row);
    const auto upper = part_bytes(pairs[0], pairs[1]), lower = part_bytes(pairs[2], pairs[3]);
    return {upper[0], upper[1], lower[0], lower[1]};
}

/// Reads 4 lines of 16 elements of 2 bytes, for each 16 neighbouring lanes. Lane l of them passes
/// the address of element 4 * (l % 4) of line l / 4, aligned to 8 bytes, and receives element l of
/// the four lines. All 64 lanes call it together. gfx950 (CDNA4 ISA 11.4, "MFMA Transpose Load from
/// LDS": DS_READ_B64_TR_B16).
CK_DEVICE CK_INLINE Vector<std::uint32_t, 2> read_transposed([[maybe_unused]] const void* at)
{
    Vector<std::uint32_t, 2> r{};
#if defined(CK_LANGUAGE_HIP)
#if __has_builtin(__builtin_amdgcn_ds_read_tr16_b64_v4i16)
    if constexpr(compiling_for == Target::gfx950)
    {
        using Four = short __attribute__((ext_vector_type(4)));
        using Lds  = __attribute__((address_space(3))) Four;
        r          = __builtin_bit_cast(Vector<std::uint32_t, 2>,
                               __builtin_amdgcn_ds_read_tr16_b64_v4i16((Lds*)at));
    }
#endif
#elif !defined(CK_LANGUAGE_CUDA)
    struct Lane
    {
        const char* at;
        char* result;
    } mine{static_cast<const char*>(at), reinterpret_cast<char*>(r.value)};
    wave_operation(64, &mine, [](void* const* of_lane) {
        for(index_t l = 0; l < 64; ++l)
            for(index_t line = 0; line < 4; ++line)
            {
                const auto* from = static_cast<Lane*>(of_lane[l / 16 * 16 + 4 * line + l % 16 / 4]);
                std::memcpy(
                    static_cast<Lane*>(of_lane[l])->result + 2 * line, from->at + 2 * (l % 4), 2);
            }
    });
#endif
    return r;
}

} // namespace ck::arch
