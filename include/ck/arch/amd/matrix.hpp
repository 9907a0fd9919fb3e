#pragma once
// Matrix instructions of AMD GPUs: MFMA (gfx908, gfx90a, gfx942, gfx950), WMMA (gfx11, gfx12),
// dot products.
//
// A builtin is named only where `id` and the target select it: its arguments depend on `id`, so
// compilers and targets that do not know the builtin never see the call.
#include "ck/arch/matrix_table.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

namespace ck::arch {

namespace detail {

template <class T, index_t n>
struct VectorRegister
{
    using type = T __attribute__((ext_vector_type(n)));
};
template <class T>
struct VectorRegister<T, 1>
{
    using type = T;
};

/// The same bits as the vector of T that a builtin takes.
template <class T, class From, index_t n>
CK_DEVICE CK_INLINE auto as_register(const Vector<From, n>& from)
{
    static_assert(sizeof(T) == sizeof(From));
    return __builtin_bit_cast(typename VectorRegister<T, n>::type, from);
}

/// The same bits in 32-bit registers: an integer or a vector of integers.
template <class T, index_t n>
CK_DEVICE CK_INLINE auto as_integers(const Vector<T, n>& from)
{
    constexpr index_t count = n * static_cast<index_t>(sizeof(T)) / 4;
    return __builtin_bit_cast(typename VectorRegister<std::int32_t, count>::type, from);
}

/// c + the sum of a[k] * b[k] over four bytes, in one instruction if the target has it.
CK_DEVICE CK_INLINE std::int32_t
dot4(const Vector<std::int8_t, 4>& a, const Vector<std::int8_t, 4>& b, std::int32_t c)
{
#if __has_builtin(__builtin_amdgcn_sdot4)
    return __builtin_amdgcn_sdot4(as_integers(a), as_integers(b), c, false);
#elif __has_builtin(__builtin_amdgcn_sudot4)
    return __builtin_amdgcn_sudot4(true, as_integers(a), true, as_integers(b), c, false);
#else
    for(index_t k = 0; k < 4; ++k)
        c += std::int32_t{a[k]} * std::int32_t{b[k]};
    return c;
#endif
}

/// bf16 in the type of the builtins, which is a type of its own since clang 18.
#if __clang_major__ >= 18
using BuiltinBf16 = __bf16;
#else
using BuiltinBf16 = short;
#endif

/// c + a[0] * b[0] + a[1] * b[1], with conversions and FMA if the target has no instruction. How
/// v_dot2 rounds between the products, and whether it keeps denormals, depends on the target.
template <class Input>
CK_DEVICE CK_INLINE float dot2(const Vector<Input, 2>& a, const Vector<Input, 2>& b, float c)
{
#if __has_builtin(__builtin_amdgcn_fdot2)
    if constexpr(std::is_same_v<Input, half_t>)
        return __builtin_amdgcn_fdot2(as_register<half_t>(a), as_register<half_t>(b), c, false);
#endif
#if __has_builtin(__builtin_amdgcn_fdot2_f32_bf16)
    if constexpr(std::is_same_v<Input, bhalf_t>)
        return __builtin_amdgcn_fdot2_f32_bf16(
            as_register<BuiltinBf16>(a), as_register<BuiltinBf16>(b), c, false);
#endif
    c = __builtin_fmaf(type_convert<float>(a[0]), type_convert<float>(b[0]), c);
    return __builtin_fmaf(type_convert<float>(a[1]), type_convert<float>(b[1]), c);
}

/// Runs the MFMA or WMMA named by `id`.
template <Matrix id, class A, class C>
CK_DEVICE CK_INLINE C matrix_builtin(A a, A b, C c)
{
    using enum Matrix;
    if constexpr(id == mfma_f32_32x32x8_f16)
        return __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x16_f16)
        return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x4_bf16)
        return __builtin_amdgcn_mfma_f32_32x32x4bf16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x8_bf16)
        return __builtin_amdgcn_mfma_f32_16x16x8bf16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x8_bf16_1k)
        return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x16_bf16_1k)
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x2_f32)
        return __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x4_f32)
        return __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x4_xf32)
        return __builtin_amdgcn_mfma_f32_32x32x4_xf32(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x8_xf32)
        return __builtin_amdgcn_mfma_f32_16x16x8_xf32(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f64_16x16x4_f64)
        return __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_i32_32x32x8_i8)
        return __builtin_amdgcn_mfma_i32_32x32x8i8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_i32_16x16x16_i8)
        return __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_i32_32x32x16_i8)
        return __builtin_amdgcn_mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_i32_16x16x32_i8)
        return __builtin_amdgcn_mfma_i32_16x16x32_i8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x16_fp8_fp8)
        return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x16_fp8_bf8)
        return __builtin_amdgcn_mfma_f32_32x32x16_fp8_bf8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x16_bf8_fp8)
        return __builtin_amdgcn_mfma_f32_32x32x16_bf8_fp8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x16_bf8_bf8)
        return __builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_fp8_fp8)
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_fp8_bf8)
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_bf8_fp8)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_bf8_bf8)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x16_f16)
        return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_f16)
        return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x16_bf16)
        return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_bf16)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_i32_32x32x32_i8)
        return __builtin_amdgcn_mfma_i32_32x32x32_i8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_i32_16x16x64_i8)
        return __builtin_amdgcn_mfma_i32_16x16x64_i8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x64_e4m3_e4m3) // 0, 0: the encodings; zeros: no scales
        return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, 0, 0, 0, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x64_e4m3_e5m2) // 0, 1: the encodings; zeros: no scales
        return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, 0, 1, 0, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x64_e5m2_e4m3) // 1, 0: the encodings; zeros: no scales
        return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, 1, 0, 0, 0, 0, 0);
    else if constexpr(id == mfma_f32_32x32x64_e5m2_e5m2) // 1, 1: the encodings; zeros: no scales
        return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a, b, c, 1, 1, 0, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_e4m3_e4m3)
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_e4m3_e5m2)
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_e5m2_e4m3)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8(a, b, c, 0, 0, 0);
    else if constexpr(id == mfma_f32_16x16x32_e5m2_e5m2)
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(a, b, c, 0, 0, 0);
    else if constexpr(id == wmma_gfx11_f32_16x16x16_f16)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    else if constexpr(id == wmma_gfx11_f32_16x16x16_bf16)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
    else if constexpr(id == wmma_gfx11_i32_16x16x16_iu8) // true: signed
        return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false);
    else if constexpr(id == wmma_gfx12_f32_16x16x16_f16)
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
    else if constexpr(id == wmma_gfx12_f32_16x16x16_bf16)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
    else if constexpr(id == wmma_gfx12_i32_16x16x16_iu8)
        return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, c, false);
    else if constexpr(id == wmma_gfx12_f32_16x16x16_e4m3_e4m3)
        return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c);
    else if constexpr(id == wmma_gfx12_f32_16x16x16_e4m3_e5m2)
        return __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(a, b, c);
    else if constexpr(id == wmma_gfx12_f32_16x16x16_e5m2_e4m3)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(a, b, c);
    else if constexpr(id == wmma_gfx12_f32_16x16x16_e5m2_e5m2)
        return __builtin_amdgcn_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(a, b, c);
}

/// An operand in the type of its builtin: bf16 as shorts, on gfx950 as bf16; bytes as integers,
/// eight of them for an MFMA as one integer.
template <Matrix id, class T, index_t n>
CK_DEVICE CK_INLINE auto as_operand(const Vector<T, n>& from)
{
    if constexpr(sizeof(T) == 1 && n == 8 && describe(id).lanes == 64)
        return __builtin_bit_cast(long, from);
    else if constexpr(sizeof(T) == 1)
        return as_integers(from);
    else if constexpr(!std::is_same_v<T, bhalf_t>)
        return as_register<T>(from);
    else
        return as_register<std::conditional_t<describe(id).requirement == Requirement::mfma_gfx950,
                                              BuiltinBf16,
                                              short>>(from);
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
    else if constexpr(id == Matrix::dot_f32_8x4x1_f32)
        c[0] = __builtin_fmaf(a[0], b[0], c[0]);
    else if constexpr(id == Matrix::dot_f64_8x4x1_f64)
        c[0] = __builtin_fma(a[0], b[0], c[0]);
    else if constexpr(id == Matrix::dot_i32_8x4x4_i8)
        c[0] = detail::dot4(a, b, c[0]);
    else if constexpr(is_dot(id))
        c[0] = detail::dot2(a, b, c[0]);
    else
    {
        using Accumulator = typename MatrixTypes<id>::Accumulator;
        const auto sum    = detail::matrix_builtin<id>(detail::as_operand<id>(a),
                                                    detail::as_operand<id>(b),
                                                    detail::as_register<Accumulator>(c));
        c                 = __builtin_bit_cast(MatrixC<id>, sum);
    }
}

} // namespace ck::arch
