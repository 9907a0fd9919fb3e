#pragma once
// wgmma.mma_async of sm_90a: D[64, 8 n] += A[64, k] * B[8 n, k] with a k of 32 bytes. Both operands
// are in shared memory, or A of tf32 in registers; D is in the registers of a warpgroup (PTX ISA,
// "Asynchronous Warpgroup Level Matrix Instructions").
#include "ck/arch/matrix_table.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::arch::nvidia {

/// The matrix descriptor of an operand with swizzled lines of 128 or 64 bytes (PTX ISA, "Matrix
/// Descriptor"): the address, the distances between blocks and between groups of 8 lines in bytes,
/// and the swizzling mode.
CK_DEVICE CK_INLINE std::uint64_t matrix_descriptor(std::uint32_t address,
                                                    std::uint32_t leading_bytes,
                                                    std::uint32_t stride_bytes,
                                                    bool lines_of_128)
{
    constexpr std::uint64_t swizzle_128_bytes = std::uint64_t{1} << 62,
                            swizzle_64_bytes  = std::uint64_t{2} << 62;
    return (address & 0x3ffffu) >> 4 | std::uint64_t{leading_bytes >> 4} << 16 |
           std::uint64_t{stride_bytes >> 4} << 32 |
           (lines_of_128 ? swizzle_128_bytes : swizzle_64_bytes);
}

// The registers of D, by number, and as operands.
#define CK_WGMMA_NAMES_4 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define CK_WGMMA_NAMES_8                                                                           \
    CK_WGMMA_NAMES_4                                                                               \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define CK_WGMMA_NAMES_12                                                                          \
    CK_WGMMA_NAMES_8                                                                               \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define CK_WGMMA_NAMES_16                                                                          \
    CK_WGMMA_NAMES_12                                                                              \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define CK_WGMMA_NAMES_20                                                                          \
    CK_WGMMA_NAMES_16                                                                              \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define CK_WGMMA_NAMES_24                                                                          \
    CK_WGMMA_NAMES_20                                                                              \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define CK_WGMMA_NAMES_32                                                                          \
    CK_WGMMA_NAMES_24                                                                              \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "     \
    "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "   \
    "%126, %127"
#define CK_WGMMA_TILE(r, j) r(d[j][0]), r(d[j][1]), r(d[j][2]), r(d[j][3])
#define CK_WGMMA_TILES_4(r, j)                                                                     \
    CK_WGMMA_TILE(r, j), CK_WGMMA_TILE(r, j + 1), CK_WGMMA_TILE(r, j + 2), CK_WGMMA_TILE(r, j + 3)
#define CK_WGMMA_TILES_8(r, j) CK_WGMMA_TILES_4(r, j), CK_WGMMA_TILES_4(r, j + 4)
#define CK_WGMMA_TILES_12(r, j) CK_WGMMA_TILES_8(r, j), CK_WGMMA_TILES_4(r, j + 8)
#define CK_WGMMA_TILES_16(r, j) CK_WGMMA_TILES_8(r, j), CK_WGMMA_TILES_8(r, j + 8)
#define CK_WGMMA_TILES_20(r, j) CK_WGMMA_TILES_16(r, j), CK_WGMMA_TILES_4(r, j + 16)
#define CK_WGMMA_TILES_24(r, j) CK_WGMMA_TILES_16(r, j), CK_WGMMA_TILES_8(r, j + 16)
#define CK_WGMMA_TILES_32(r, j) CK_WGMMA_TILES_16(r, j), CK_WGMMA_TILES_16(r, j + 16)

// Operands after the predicate: for floats, whether they are negated; for two-byte types also
// whether they lie along their rows; nothing for integers.
#define CK_WGMMA_ALONG_EITHER(t, u) ", 1, 1, %" t ", %" u
#define CK_WGMMA_ALONG_REDUCTION(t, u) ", 1, 1"
#define CK_WGMMA_OF_INTEGERS(t, u) ""

// shape: m64n<8 tiles>k<k>; types: of D, A and B; r: the constraint for D's registers; a, b: the
// numbers of the descriptors; end: see above.
#define CK_WGMMA(shape, types, r, tiles, a, b, end)                                                \
    asm volatile("{.reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned." shape     \
                 "." types " {" CK_WGMMA_NAMES_##tiles "}, %" a ", %" b ", add" end ";}"           \
                 : CK_WGMMA_TILES_##tiles(r, 0)                                                    \
                 : "l"(a_descriptor), "l"(b_descriptor), "n"(a_rows), "n"(b_rows))
#define CK_WGMMA_OF(types, k, r, end)                                                              \
    if constexpr(tiles == 4)                                                                       \
        CK_WGMMA("m64n32" k, types, r, 4, "16", "17", end("18", "19"));                            \
    else if constexpr(tiles == 8)                                                                  \
        CK_WGMMA("m64n64" k, types, r, 8, "32", "33", end("34", "35"));                            \
    else if constexpr(tiles == 12)                                                                 \
        CK_WGMMA("m64n96" k, types, r, 12, "48", "49", end("50", "51"));                           \
    else if constexpr(tiles == 20)                                                                 \
        CK_WGMMA("m64n160" k, types, r, 20, "80", "81", end("82", "83"));                          \
    else if constexpr(tiles == 24)                                                                 \
        CK_WGMMA("m64n192" k, types, r, 24, "96", "97", end("98", "99"));                          \
    else if constexpr(tiles == 16)                                                                 \
        CK_WGMMA("m64n128" k, types, r, 16, "64", "65", end("66", "67"));                          \
    else                                                                                           \
        CK_WGMMA("m64n256" k, types, r, 32, "128", "129", end("130", "131"))

/// a_rows, b_rows: 1 if an operand's lines lie along its rows, 0 if along the reduction.
template <Matrix id, int a_rows, int b_rows, index_t tiles>
CK_DEVICE CK_INLINE void wgmma([[maybe_unused]] std::uint64_t a_descriptor,
                               [[maybe_unused]] std::uint64_t b_descriptor,
                               [[maybe_unused]] MatrixC<id> (&d)[tiles])
{
    static_assert(tiles == 4 || tiles == 8 || tiles == 12 || tiles == 16 || tiles == 20 ||
                  tiles == 24 || tiles == 32);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if constexpr(id == Matrix::wgmma_f32_16x8x16_f16)
    {
        CK_WGMMA_OF("f32.f16.f16", "k16", "+f", CK_WGMMA_ALONG_EITHER);
    }
    else if constexpr(id == Matrix::wgmma_f32_16x8x16_bf16)
    {
        CK_WGMMA_OF("f32.bf16.bf16", "k16", "+f", CK_WGMMA_ALONG_EITHER);
    }
    else if constexpr(id == Matrix::wgmma_f32_16x8x8_tf32)
    {
        CK_WGMMA_OF("f32.tf32.tf32", "k8", "+f", CK_WGMMA_ALONG_REDUCTION);
    }
    else if constexpr(id == Matrix::wgmma_i32_16x8x32_s8)
    {
        CK_WGMMA_OF("s32.s8.s8", "k32", "+r", CK_WGMMA_OF_INTEGERS);
    }
    else if constexpr(id == Matrix::wgmma_f32_16x8x32_e4m3_e4m3)
    {
        CK_WGMMA_OF("f32.e4m3.e4m3", "k32", "+f", CK_WGMMA_ALONG_REDUCTION);
    }
    else if constexpr(id == Matrix::wgmma_f32_16x8x32_e4m3_e5m2)
    {
        CK_WGMMA_OF("f32.e4m3.e5m2", "k32", "+f", CK_WGMMA_ALONG_REDUCTION);
    }
    else if constexpr(id == Matrix::wgmma_f32_16x8x32_e5m2_e4m3)
    {
        CK_WGMMA_OF("f32.e5m2.e4m3", "k32", "+f", CK_WGMMA_ALONG_REDUCTION);
    }
    else
    {
        static_assert(id == Matrix::wgmma_f32_16x8x32_e5m2_e5m2);
        CK_WGMMA_OF("f32.e5m2.e5m2", "k32", "+f", CK_WGMMA_ALONG_REDUCTION);
    }
#else
    trap();
#endif
}
#undef CK_WGMMA
#undef CK_WGMMA_OF

// The same with A in registers. For tf32 there is no operand for B's lines.
#define CK_WGMMA_B_ALONG_EITHER(t) ", %" t
#define CK_WGMMA_B_ALONG_REDUCTION(t) ""
#define CK_WGMMA(columns, types, tiles, a0, a1, a2, a3, b, end)                                    \
    asm volatile(                                                                                  \
        "{.reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned.m64n" columns types  \
        " {" CK_WGMMA_NAMES_##tiles "}, {%" a0 ", %" a1 ", %" a2 ", %" a3 "}, %" b                 \
                                    ", add, 1, 1" end ";}"                                         \
        : CK_WGMMA_TILES_##tiles("+f", 0)                                                          \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b_descriptor), "n"(b_rows))
#define CK_WGMMA_OF(types, end)                                                                    \
    if constexpr(tiles == 4)                                                                       \
        CK_WGMMA("32", types, 4, "16", "17", "18", "19", "20", end("21"));                         \
    else if constexpr(tiles == 8)                                                                  \
        CK_WGMMA("64", types, 8, "32", "33", "34", "35", "36", end("37"));                         \
    else if constexpr(tiles == 12)                                                                 \
        CK_WGMMA("96", types, 12, "48", "49", "50", "51", "52", end("53"));                        \
    else if constexpr(tiles == 16)                                                                 \
        CK_WGMMA("128", types, 16, "64", "65", "66", "67", "68", end("69"));                       \
    else if constexpr(tiles == 20)                                                                 \
        CK_WGMMA("160", types, 20, "80", "81", "82", "83", "84", end("85"));                       \
    else if constexpr(tiles == 24)                                                                 \
        CK_WGMMA("192", types, 24, "96", "97", "98", "99", "100", end("101"));                     \
    else                                                                                           \
        CK_WGMMA("256", types, 32, "128", "129", "130", "131", "132", end("133"))

/// A in this lane's registers, which wgmma reads until it is done, with two-byte floats or tf32.
/// b_rows: as above.
template <Matrix id, int b_rows, index_t tiles>
CK_DEVICE CK_INLINE void wgmma_of_registers([[maybe_unused]] const Vector<std::uint32_t, 4>& a,
                                            [[maybe_unused]] std::uint64_t b_descriptor,
                                            [[maybe_unused]] MatrixC<id> (&d)[tiles])
{
    static_assert(tiles == 4 || tiles == 8 || tiles == 12 || tiles == 16 || tiles == 20 ||
                  tiles == 24 || tiles == 32);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if constexpr(id == Matrix::wgmma_f32_16x8x16_f16)
    {
        CK_WGMMA_OF("k16.f32.f16.f16", CK_WGMMA_B_ALONG_EITHER);
    }
    else if constexpr(id == Matrix::wgmma_f32_16x8x16_bf16)
    {
        CK_WGMMA_OF("k16.f32.bf16.bf16", CK_WGMMA_B_ALONG_EITHER);
    }
    else
    {
        static_assert(id == Matrix::wgmma_f32_16x8x8_tf32 && b_rows == 0);
        CK_WGMMA_OF("k8.f32.tf32.tf32", CK_WGMMA_B_ALONG_REDUCTION);
    }
#else
    trap();
#endif
}
#undef CK_WGMMA_OF
#undef CK_WGMMA_B_ALONG_EITHER
#undef CK_WGMMA_B_ALONG_REDUCTION
#undef CK_WGMMA
#undef CK_WGMMA_ALONG_EITHER
#undef CK_WGMMA_ALONG_REDUCTION
#undef CK_WGMMA_OF_INTEGERS
#undef CK_WGMMA_NAMES_4
#undef CK_WGMMA_NAMES_8
#undef CK_WGMMA_NAMES_12
#undef CK_WGMMA_NAMES_16
#undef CK_WGMMA_NAMES_20
#undef CK_WGMMA_NAMES_24
#undef CK_WGMMA_NAMES_32
#undef CK_WGMMA_TILE
#undef CK_WGMMA_TILES_4
#undef CK_WGMMA_TILES_8
#undef CK_WGMMA_TILES_12
#undef CK_WGMMA_TILES_16
#undef CK_WGMMA_TILES_20
#undef CK_WGMMA_TILES_24
#undef CK_WGMMA_TILES_32

} // namespace ck::arch::nvidia
