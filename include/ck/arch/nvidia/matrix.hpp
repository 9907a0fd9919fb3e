#pragma once
// Matrix instructions of NVIDIA GPUs: mma.sync (sm_80 and later), and dot products by FMA.
#include "ck/arch/matrix_table.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::arch {

namespace detail {

/// The 32-bit registers that hold `values`.
template <class T, index_t n>
CK_DEVICE CK_INLINE auto as_registers(const Vector<T, n>& values)
{
    using Registers = Vector<std::uint32_t, n* static_cast<index_t>(sizeof(T)) / 4>;
    return __builtin_bit_cast(Registers, values);
}

/// c + the sum of a[k] * b[k] over four bytes.
CK_DEVICE CK_INLINE std::int32_t
dot4(const Vector<std::int8_t, 4>& a, const Vector<std::int8_t, 4>& b, std::int32_t c)
{
    return __dp4a(__builtin_bit_cast(std::int32_t, a), __builtin_bit_cast(std::int32_t, b), c);
}

/// Rounds to tf32, nearest, ties away from zero. The instruction itself drops the low bits.
template <index_t n>
CK_DEVICE CK_INLINE auto as_tf32_registers(const Vector<float, n>& values)
{
    Vector<std::uint32_t, n> registers;
    for(index_t i = 0; i < n; ++i)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(registers[i]) : "f"(values[i]));
    return registers;
}

// PTX ISA, "Multiply-and-Accumulate Instruction: mma".
#define CK_MMA_K16(type)                                                                           \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "                             \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                          \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                           \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <Matrix id>
CK_DEVICE CK_INLINE void
mma(const Vector<std::uint32_t, 4>& a, const Vector<std::uint32_t, 2>& b, MatrixC<id>& c)
{
    if constexpr(id == Matrix::mma_f32_16x8x16_f16)
        CK_MMA_K16("f16");
    else if constexpr(id == Matrix::mma_f32_16x8x16_bf16)
        CK_MMA_K16("bf16");
    else if constexpr(id == Matrix::mma_i32_16x8x32_s8)
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else if constexpr(id == Matrix::mma_f32_16x8x32_e4m3_e4m3)
        // sm_90 converts them to f16: products are exact, and sums are in float.
        asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#undef CK_MMA_K16

template <Matrix id>
CK_DEVICE CK_INLINE void mma_f64(const MatrixA<id>& a, const MatrixB<id>& b, MatrixC<id>& c)
{
    if constexpr(id == Matrix::mma_f64_8x8x4_f64)
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c[0]), "+d"(c[1])
            : "d"(a[0]), "d"(b[0]));
    else
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

} // namespace detail

template <Matrix id>
CK_DEVICE CK_INLINE void
multiply_accumulate(const MatrixA<id>& a, const MatrixB<id>& b, MatrixC<id>& c)
{
    static_assert(meets(compiling_for, describe(id).requirement),
                  "this target does not have the matrix instruction");
    if constexpr(compiling_for == Target::host)
        trap(); // host pass, which never runs this
    else if constexpr(id == Matrix::dot_i32_8x4x4_i8)
        c[0] = detail::dot4(a, b, c[0]);
    else if constexpr(id == Matrix::dot_f64_8x4x1_f64)
        c[0] = fma(a[0], b[0], c[0]);
    else if constexpr(is_dot(id))
        for(index_t k = 0; k < describe(id).k; ++k)
            c[0] = fmaf(type_convert<float>(a[k]), type_convert<float>(b[k]), c[0]);
    else if constexpr(id == Matrix::mma_f32_16x8x8_tf32)
        detail::mma<id>(detail::as_tf32_registers(a), detail::as_tf32_registers(b), c);
    else if constexpr(describe(id).a_element == Element::f64)
        detail::mma_f64<id>(a, b, c);
    else
        detail::mma<id>(detail::as_registers(a), detail::as_registers(b), c);
}

} // namespace ck::arch
