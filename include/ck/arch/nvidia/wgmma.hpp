#pragma once
// wgmma.mma_async of sm_90a: D[64, 8 n] += A[64, k] * B[8 n, k], k of 32 bytes, both operands in
// shared memory or A of tf32 in registers, D in the registers of a warpgroup (PTX ISA,
// "Asynchronous Warpgroup Level Matrix Instructions").
#include "ck/arch/matrix_table.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::arch::nvidia {

/// The matrix descriptor of an operand whose lines of 128 or 64 bytes are swizzled (PTX ISA,
/// "Matrix Descriptor"): the address, the distances of blocks and of groups of 8 lines in bytes,
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

// The registers of D, by their numbers, and as operands.
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
#define CK_WGMMA_TILE(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
#define CK_WGMMA_TILES_4(j)                                                                        \
    CK_WGMMA_TILE(j), CK_WGMMA_TILE(j + 1), CK_WGMMA_TILE(j + 2), CK_WGMMA_TILE(j + 3)
#define CK_WGMMA_TILES_8(j) CK_WGMMA_TILES_4(j), CK_WGMMA_TILES_4(j + 4)
#define CK_WGMMA_TILES_12(j) CK_WGMMA_TILES_8(j), CK_WGMMA_TILES_4(j + 8)
#define CK_WGMMA_TILES_16(j) CK_WGMMA_TILES_8(j), CK_WGMMA_TILES_8(j + 8)
#define CK_WGMMA_TILES_20(j) CK_WGMMA_TILES_16(j), CK_WGMMA_TILES_4(j + 16)
#define CK_WGMMA_TILES_24(j) CK_WGMMA_TILES_16(j), CK_WGMMA_TILES_8(j + 16)
#define CK_WGMMA_TILES_32(j) CK_WGMMA_TILES_16(j), CK_WGMMA_TILES_16(j + 16)

// Operands of two bytes say whether they lie along their rows, tf32 never does.
#define CK_WGMMA_ALONG_EITHER(t, u) ", %" t ", %" u
#define CK_WGMMA_ALONG_REDUCTION(t, u) ""

// shape: m64n<8 tiles>k<k>; a, b: the numbers of the descriptors; along: see above.
#define CK_WGMMA(shape, type, tiles, a, b, along)                                                  \
    asm volatile("{.reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned." shape     \
                 ".f32." type "." type " {" CK_WGMMA_NAMES_##tiles "}, %" a ", %" b                \
                                                                   ", add, 1, 1" along ";}"        \
                 : CK_WGMMA_TILES_##tiles(0)                                                       \
                 : "l"(a_descriptor), "l"(b_descriptor), "n"(a_rows), "n"(b_rows))
#define CK_WGMMA_OF(type, k, along)                                                                \
    if constexpr(tiles == 4)                                                                       \
        CK_WGMMA("m64n32" k, type, 4, "16", "17", along("18", "19"));                              \
    else if constexpr(tiles == 8)                                                                  \
        CK_WGMMA("m64n64" k, type, 8, "32", "33", along("34", "35"));                              \
    else if constexpr(tiles == 12)                                                                 \
        CK_WGMMA("m64n96" k, type, 12, "48", "49", along("50", "51"));                             \
    else if constexpr(tiles == 20)                                                                 \
        CK_WGMMA("m64n160" k, type, 20, "80", "81", along("82", "83"));                            \
    else if constexpr(tiles == 24)                                                                 \
        CK_WGMMA("m64n192" k, type, 24, "96", "97", along("98", "99"));                            \
    else if constexpr(tiles == 16)                                                                 \
        CK_WGMMA("m64n128" k, type, 16, "64", "65", along("66", "67"));                            \
    else                                                                                           \
        CK_WGMMA("m64n256" k, type, 32, "128", "129", along("130", "131"))

/// a_rows, b_rows: 1 where an operand's lines lie along its rows, 0 along the reduction.
template <Element of, int a_rows, int b_rows, index_t tiles>
CK_DEVICE CK_INLINE void wgmma([[maybe_unused]] std::uint64_t a_descriptor,
                               [[maybe_unused]] std::uint64_t b_descriptor,
                               [[maybe_unused]] Vector<float, 4> (&d)[tiles])
{
    static_assert(tiles == 4 || tiles == 8 || tiles == 12 || tiles == 16 || tiles == 20 ||
                  tiles == 24 || tiles == 32);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if constexpr(of == Element::bf16)
    {
        CK_WGMMA_OF("bf16", "k16", CK_WGMMA_ALONG_EITHER);
    }
    else if constexpr(of == Element::tf32)
    {
        CK_WGMMA_OF("tf32", "k8", CK_WGMMA_ALONG_REDUCTION);
    }
    else
    {
        CK_WGMMA_OF("f16", "k16", CK_WGMMA_ALONG_EITHER);
    }
#else
    trap();
#endif
}
#undef CK_WGMMA
#undef CK_WGMMA_OF

// The same with A's registers.
#define CK_WGMMA(columns, tiles, a0, a1, a2, a3, b)                                                \
    asm volatile(                                                                                  \
        "{.reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned.m64n" columns        \
        "k8.f32.tf32.tf32 {" CK_WGMMA_NAMES_##tiles "}, {%" a0 ", %" a1 ", %" a2 ", %" a3 "}, %" b \
                                                    ", add, 1, 1;}"                                \
        : CK_WGMMA_TILES_##tiles(0)                                                                \
        : "r"(word(0)), "r"(word(1)), "r"(word(2)), "r"(word(3)), "l"(b_descriptor))

/// tf32, A from this lane's registers, which wgmma reads until it is done; B's lines lie along the
/// reduction.
template <index_t tiles>
CK_DEVICE CK_INLINE void wgmma_of_registers([[maybe_unused]] const Vector<float, 4>& a,
                                            [[maybe_unused]] std::uint64_t b_descriptor,
                                            [[maybe_unused]] Vector<float, 4> (&d)[tiles])
{
    static_assert(tiles == 4 || tiles == 8 || tiles == 12 || tiles == 16 || tiles == 20 ||
                  tiles == 24 || tiles == 32);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    const auto word = [&](index_t i) { return __builtin_bit_cast(std::uint32_t, a[i]); };
    if constexpr(tiles == 4)
        CK_WGMMA("32", 4, "16", "17", "18", "19", "20");
    else if constexpr(tiles == 8)
        CK_WGMMA("64", 8, "32", "33", "34", "35", "36");
    else if constexpr(tiles == 12)
        CK_WGMMA("96", 12, "48", "49", "50", "51", "52");
    else if constexpr(tiles == 16)
        CK_WGMMA("128", 16, "64", "65", "66", "67", "68");
    else if constexpr(tiles == 20)
        CK_WGMMA("160", 20, "80", "81", "82", "83", "84");
    else if constexpr(tiles == 24)
        CK_WGMMA("192", 24, "96", "97", "98", "99", "100");
    else
        CK_WGMMA("256", 32, "128", "129", "130", "131", "132");
#else
    trap();
#endif
}
#undef CK_WGMMA
#undef CK_WGMMA_ALONG_EITHER
#undef CK_WGMMA_ALONG_REDUCTION
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
