#pragma once
// The matrix instructions as data. Kernels, epilogues and the host's emulation read the same rows;
// test/isa/matrix_instructions.cpp checks each row against the machine code.
#include "ck/arch/matrix_instruction.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/vector.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ck::arch {

enum class Matrix : int
{
    mfma_f32_32x32x8_f16,
    mfma_f32_16x16x16_f16,
    mfma_f32_32x32x4_bf16,
    mfma_f32_16x16x8_bf16,
    mfma_f32_32x32x8_bf16_1k,
    mfma_f32_16x16x16_bf16_1k,
    mfma_f32_32x32x2_f32,
    mfma_f32_16x16x4_f32,
    mfma_f32_32x32x4_xf32,
    mfma_f32_16x16x8_xf32,
    mfma_f64_16x16x4_f64,
    mfma_i32_32x32x8_i8,
    mfma_i32_16x16x16_i8,
    mfma_i32_32x32x16_i8,
    mfma_i32_16x16x32_i8,
    mfma_f32_32x32x16_fp8_fp8,
    mfma_f32_32x32x16_fp8_bf8,
    mfma_f32_32x32x16_bf8_fp8,
    mfma_f32_32x32x16_bf8_bf8,
    mfma_f32_16x16x32_fp8_fp8,
    mfma_f32_16x16x32_fp8_bf8,
    mfma_f32_16x16x32_bf8_fp8,
    mfma_f32_16x16x32_bf8_bf8,
    mfma_f32_32x32x16_f16,
    mfma_f32_16x16x32_f16,
    mfma_f32_32x32x16_bf16,
    mfma_f32_16x16x32_bf16,
    mfma_i32_32x32x32_i8,
    mfma_i32_16x16x64_i8,
    mfma_f32_32x32x64_e4m3_e4m3,
    mfma_f32_32x32x64_e4m3_e5m2,
    mfma_f32_32x32x64_e5m2_e4m3,
    mfma_f32_32x32x64_e5m2_e5m2,
    mfma_f32_16x16x32_e4m3_e4m3,
    mfma_f32_16x16x32_e4m3_e5m2,
    mfma_f32_16x16x32_e5m2_e4m3,
    mfma_f32_16x16x32_e5m2_e5m2,
    wmma_gfx11_f32_16x16x16_f16,
    wmma_gfx11_f32_16x16x16_bf16,
    wmma_gfx11_i32_16x16x16_iu8,
    wmma_gfx12_f32_16x16x16_f16,
    wmma_gfx12_f32_16x16x16_bf16,
    wmma_gfx12_i32_16x16x16_iu8,
    wmma_gfx12_f32_16x16x16_e4m3_e4m3,
    wmma_gfx12_f32_16x16x16_e4m3_e5m2,
    wmma_gfx12_f32_16x16x16_e5m2_e4m3,
    wmma_gfx12_f32_16x16x16_e5m2_e5m2,
    mma_f32_16x8x16_f16,
    mma_f32_16x8x16_bf16,
    mma_f32_16x8x8_tf32,
    mma_i32_16x8x32_s8,
    mma_f32_16x8x32_e4m3_e4m3,
    mma_f64_8x8x4_f64,
    mma_f64_16x8x8_f64,
    wgmma_f32_16x8x16_f16,
    wgmma_f32_16x8x16_bf16,
    wgmma_f32_16x8x8_tf32,
    wgmma_i32_16x8x32_s8,
    wgmma_f32_16x8x32_e4m3_e4m3,
    wgmma_f32_16x8x32_e4m3_e5m2,
    wgmma_f32_16x8x32_e5m2_e4m3,
    wgmma_f32_16x8x32_e5m2_e5m2,
    dot_f32_8x4x2_f16,
    dot_f32_8x4x2_bf16,
    dot_f32_8x4x1_f32,
    dot_f64_8x4x1_f64,
    dot_i32_8x4x4_i8,
};
inline constexpr index_t matrix_count = static_cast<index_t>(Matrix::dot_i32_8x4x4_i8) + 1;

namespace detail {

/// The table.
CK_HOST_DEVICE constexpr MatrixInstruction make_instruction(Matrix id)
{
    using enum Requirement;
    using enum Element;
    switch(id)
    {
    case Matrix::mfma_f32_32x32x8_f16:
        return detail::mfma("mfma_f32_32x32x8_f16", f16, 32, 4, mfma);
    case Matrix::mfma_f32_16x16x16_f16:
        return detail::mfma("mfma_f32_16x16x16_f16", f16, 16, 4, mfma);
    case Matrix::mfma_f32_32x32x4_bf16:
        return detail::mfma("mfma_f32_32x32x4_bf16", bf16, 32, 2, mfma_bf16);
    case Matrix::mfma_f32_16x16x8_bf16:
        return detail::mfma("mfma_f32_16x16x8_bf16", bf16, 16, 2, mfma_bf16);
    case Matrix::mfma_f32_32x32x8_bf16_1k:
        return detail::mfma("mfma_f32_32x32x8_bf16_1k", bf16, 32, 4, mfma_bf16_1k);
    case Matrix::mfma_f32_16x16x16_bf16_1k:
        return detail::mfma("mfma_f32_16x16x16_bf16_1k", bf16, 16, 4, mfma_bf16_1k);
    case Matrix::mfma_f32_32x32x2_f32:
        return detail::mfma("mfma_f32_32x32x2_f32", f32, 32, 1, mfma);
    case Matrix::mfma_f32_16x16x4_f32:
        return detail::mfma("mfma_f32_16x16x4_f32", f32, 16, 1, mfma);
    case Matrix::mfma_f32_32x32x4_xf32:
        return detail::mfma("mfma_f32_32x32x4_xf32", tf32, 32, 2, mfma_gfx942);
    case Matrix::mfma_f32_16x16x8_xf32:
        return detail::mfma("mfma_f32_16x16x8_xf32", tf32, 16, 2, mfma_gfx942);
    case Matrix::mfma_f64_16x16x4_f64:
        return detail::mfma_f64("mfma_f64_16x16x4_f64");
    case Matrix::mfma_i32_32x32x8_i8:
        return detail::mfma("mfma_i32_32x32x8_i8", i8, 32, 4, mfma_i8);
    case Matrix::mfma_i32_16x16x16_i8:
        return detail::mfma("mfma_i32_16x16x16_i8", i8, 16, 4, mfma_i8);
    case Matrix::mfma_i32_32x32x16_i8:
        return detail::mfma("mfma_i32_32x32x16_i8", i8, 32, 8, mfma_i8_gfx942);
    case Matrix::mfma_i32_16x16x32_i8:
        return detail::mfma("mfma_i32_16x16x32_i8", i8, 16, 8, mfma_i8_gfx942);
    case Matrix::mfma_f32_32x32x16_fp8_fp8:
        return detail::mfma_f8("mfma_f32_32x32x16_fp8_fp8", f8, f8, 32);
    case Matrix::mfma_f32_32x32x16_fp8_bf8:
        return detail::mfma_f8("mfma_f32_32x32x16_fp8_bf8", f8, bf8, 32);
    case Matrix::mfma_f32_32x32x16_bf8_fp8:
        return detail::mfma_f8("mfma_f32_32x32x16_bf8_fp8", bf8, f8, 32);
    case Matrix::mfma_f32_32x32x16_bf8_bf8:
        return detail::mfma_f8("mfma_f32_32x32x16_bf8_bf8", bf8, bf8, 32);
    case Matrix::mfma_f32_16x16x32_fp8_fp8:
        return detail::mfma_f8("mfma_f32_16x16x32_fp8_fp8", f8, f8, 16);
    case Matrix::mfma_f32_16x16x32_fp8_bf8:
        return detail::mfma_f8("mfma_f32_16x16x32_fp8_bf8", f8, bf8, 16);
    case Matrix::mfma_f32_16x16x32_bf8_fp8:
        return detail::mfma_f8("mfma_f32_16x16x32_bf8_fp8", bf8, f8, 16);
    case Matrix::mfma_f32_16x16x32_bf8_bf8:
        return detail::mfma_f8("mfma_f32_16x16x32_bf8_bf8", bf8, bf8, 16);
    case Matrix::mfma_f32_32x32x16_f16:
        return detail::mfma("mfma_f32_32x32x16_f16", f16, 32, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_f16:
        return detail::mfma("mfma_f32_16x16x32_f16", f16, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_32x32x16_bf16:
        return detail::mfma("mfma_f32_32x32x16_bf16", bf16, 32, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_bf16:
        return detail::mfma("mfma_f32_16x16x32_bf16", bf16, 16, 8, mfma_gfx950);
    case Matrix::mfma_i32_32x32x32_i8:
        return detail::mfma("mfma_i32_32x32x32_i8", i8, 32, 16, mfma_gfx950);
    case Matrix::mfma_i32_16x16x64_i8:
        return detail::mfma("mfma_i32_16x16x64_i8", i8, 16, 16, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e4m3_e4m3:
        return detail::mfma_f8("mfma_f32_32x32x64_e4m3_e4m3", e4m3, e4m3, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e4m3_e5m2:
        return detail::mfma_f8("mfma_f32_32x32x64_e4m3_e5m2", e4m3, e5m2, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e5m2_e4m3:
        return detail::mfma_f8("mfma_f32_32x32x64_e5m2_e4m3", e5m2, e4m3, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e5m2_e5m2:
        return detail::mfma_f8("mfma_f32_32x32x64_e5m2_e5m2", e5m2, e5m2, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e4m3_e4m3:
        return detail::mfma_f8("mfma_f32_16x16x32_e4m3_e4m3", e4m3, e4m3, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e4m3_e5m2:
        return detail::mfma_f8("mfma_f32_16x16x32_e4m3_e5m2", e4m3, e5m2, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e5m2_e4m3:
        return detail::mfma_f8("mfma_f32_16x16x32_e5m2_e4m3", e5m2, e4m3, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e5m2_e5m2:
        return detail::mfma_f8("mfma_f32_16x16x32_e5m2_e5m2", e5m2, e5m2, 16, 8, mfma_gfx950);
    case Matrix::wmma_gfx11_f32_16x16x16_f16:
        return detail::wmma_gfx11("wmma_gfx11_f32_16x16x16_f16", f16);
    case Matrix::wmma_gfx11_f32_16x16x16_bf16:
        return detail::wmma_gfx11("wmma_gfx11_f32_16x16x16_bf16", bf16);
    case Matrix::wmma_gfx11_i32_16x16x16_iu8:
        return detail::wmma_gfx11("wmma_gfx11_i32_16x16x16_iu8", i8);
    case Matrix::wmma_gfx12_f32_16x16x16_f16:
        return detail::wmma_gfx12("wmma_gfx12_f32_16x16x16_f16", f16);
    case Matrix::wmma_gfx12_f32_16x16x16_bf16:
        return detail::wmma_gfx12("wmma_gfx12_f32_16x16x16_bf16", bf16);
    case Matrix::wmma_gfx12_i32_16x16x16_iu8:
        return detail::wmma_gfx12("wmma_gfx12_i32_16x16x16_iu8", i8);
    case Matrix::wmma_gfx12_f32_16x16x16_e4m3_e4m3:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e4m3_e4m3", e4m3, e4m3);
    case Matrix::wmma_gfx12_f32_16x16x16_e4m3_e5m2:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e4m3_e5m2", e4m3, e5m2);
    case Matrix::wmma_gfx12_f32_16x16x16_e5m2_e4m3:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e5m2_e4m3", e5m2, e4m3);
    case Matrix::wmma_gfx12_f32_16x16x16_e5m2_e5m2:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e5m2_e5m2", e5m2, e5m2);
    case Matrix::mma_f32_16x8x16_f16:
        return detail::mma("mma_f32_16x8x16_f16", f16, 2);
    case Matrix::mma_f32_16x8x16_bf16:
        return detail::mma("mma_f32_16x8x16_bf16", bf16, 2);
    case Matrix::mma_f32_16x8x8_tf32:
        return detail::mma("mma_f32_16x8x8_tf32", tf32, 1);
    case Matrix::mma_i32_16x8x32_s8:
        return detail::mma("mma_i32_16x8x32_s8", i8, 4);
    case Matrix::mma_f32_16x8x32_e4m3_e4m3:
        return detail::mma("mma_f32_16x8x32_e4m3_e4m3", e4m3, 4, mma_sync_f8);
    case Matrix::mma_f64_8x8x4_f64:
        return detail::mma_f64("mma_f64_8x8x4_f64", 8, 4, mma_sync_f64);
    case Matrix::mma_f64_16x8x8_f64:
        return detail::mma_f64("mma_f64_16x8x8_f64", 16, 8, mma_sync_f64_sm90);
    case Matrix::wgmma_f32_16x8x16_f16:
        return detail::wgmma("wgmma_f32_16x8x16_f16", f16, f16, 2);
    case Matrix::wgmma_f32_16x8x16_bf16:
        return detail::wgmma("wgmma_f32_16x8x16_bf16", bf16, bf16, 2);
    case Matrix::wgmma_f32_16x8x8_tf32:
        return detail::wgmma("wgmma_f32_16x8x8_tf32", tf32, tf32, 1);
    case Matrix::wgmma_i32_16x8x32_s8:
        return detail::wgmma("wgmma_i32_16x8x32_s8", i8, i8, 4);
    case Matrix::wgmma_f32_16x8x32_e4m3_e4m3:
        return detail::wgmma("wgmma_f32_16x8x32_e4m3_e4m3", e4m3, e4m3, 4);
    case Matrix::wgmma_f32_16x8x32_e4m3_e5m2:
        return detail::wgmma("wgmma_f32_16x8x32_e4m3_e5m2", e4m3, e5m2, 4);
    case Matrix::wgmma_f32_16x8x32_e5m2_e4m3:
        return detail::wgmma("wgmma_f32_16x8x32_e5m2_e4m3", e5m2, e4m3, 4);
    case Matrix::wgmma_f32_16x8x32_e5m2_e5m2:
        return detail::wgmma("wgmma_f32_16x8x32_e5m2_e5m2", e5m2, e5m2, 4);
    case Matrix::dot_f32_8x4x2_f16:
        return detail::dot("dot_f32_8x4x2_f16", f16, 2);
    case Matrix::dot_f32_8x4x2_bf16:
        return detail::dot("dot_f32_8x4x2_bf16", bf16, 2);
    case Matrix::dot_f32_8x4x1_f32:
        return detail::dot("dot_f32_8x4x1_f32", f32, 1);
    case Matrix::dot_f64_8x4x1_f64:
        return detail::dot("dot_f64_8x4x1_f64", f64, 1);
    case Matrix::dot_i32_8x4x4_i8:
        return detail::dot("dot_i32_8x4x4_i8", i8, 4);
    }
    return {};
}

#if !defined(__HIP_DEVICE_COMPILE__) && !defined(__CUDA_ARCH__)
/// The whole table for hosts: their compilers take half a second for code that builds one row.
inline constexpr auto instructions = [] {
    std::array<MatrixInstruction, static_cast<std::size_t>(matrix_count)> all{};
    for(index_t id = 0; id < matrix_count; ++id)
        all[static_cast<std::size_t>(id)] = make_instruction(static_cast<Matrix>(id));
    return all;
}();
#endif

} // namespace detail

/// Describes an instruction.
CK_HOST_DEVICE constexpr MatrixInstruction describe(Matrix id)
{
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
    return detail::make_instruction(id);
#else
    return detail::instructions[static_cast<std::size_t>(id)];
#endif
}

/// Whether the instruction reads its operands from shared memory: with multiply_shared() of
/// warpgroup.hpp, not multiply_accumulate().
CK_HOST_DEVICE constexpr bool takes_shared(Matrix id)
{
    return describe(id).requirement == Requirement::wgmma;
}

CK_HOST_DEVICE constexpr bool is_dot(Matrix id)
{
    return describe(id).requirement == Requirement::none;
}

/// The instruction that computes the same product with a and b exchanged.
CK_HOST_DEVICE constexpr Matrix with_exchanged_operands(Matrix id)
{
    using enum Matrix;
    switch(id)
    {
    case mfma_f32_32x32x16_fp8_bf8:
        return mfma_f32_32x32x16_bf8_fp8;
    case mfma_f32_32x32x16_bf8_fp8:
        return mfma_f32_32x32x16_fp8_bf8;
    case mfma_f32_16x16x32_fp8_bf8:
        return mfma_f32_16x16x32_bf8_fp8;
    case mfma_f32_16x16x32_bf8_fp8:
        return mfma_f32_16x16x32_fp8_bf8;
    case mfma_f32_32x32x64_e4m3_e5m2:
        return mfma_f32_32x32x64_e5m2_e4m3;
    case mfma_f32_32x32x64_e5m2_e4m3:
        return mfma_f32_32x32x64_e4m3_e5m2;
    case mfma_f32_16x16x32_e4m3_e5m2:
        return mfma_f32_16x16x32_e5m2_e4m3;
    case mfma_f32_16x16x32_e5m2_e4m3:
        return mfma_f32_16x16x32_e4m3_e5m2;
    case wmma_gfx12_f32_16x16x16_e4m3_e5m2:
        return wmma_gfx12_f32_16x16x16_e5m2_e4m3;
    case wmma_gfx12_f32_16x16x16_e5m2_e4m3:
        return wmma_gfx12_f32_16x16x16_e4m3_e5m2;
    case wgmma_f32_16x8x32_e4m3_e5m2:
        return wgmma_f32_16x8x32_e5m2_e4m3;
    case wgmma_f32_16x8x32_e5m2_e4m3:
        return wgmma_f32_16x8x32_e4m3_e5m2;
    default:
        return id;
    }
}

/// Every element of each operand is held by the same number of (lane, value) pairs, and every
/// element of C by one.
constexpr bool is_consistent(const MatrixInstruction& i)
{
    const auto copies = [&](index_t values, index_t rows) {
        return i.lanes * values / (rows * i.k);
    };
    return i.a.lanes() == i.lanes && i.b.lanes() == i.lanes && i.c.lanes() == i.lanes &&
           i.a.values() == i.a_values && i.b.values() == i.b_values && i.c.values() == i.c_values &&
           covers(i.a, i.m, i.k, copies(i.a_values, i.m)) &&
           covers(i.b, i.n, i.k, copies(i.b_values, i.n)) && covers(i.c, i.m, i.n, 1);
}

namespace detail {

/// The types of values in registers, in the order of Element.
using ElementTypes = std::
    tuple<half_t, bhalf_t, float, double, float, std::int8_t, f8_t, bf8_t, f8_ocp_t, bf8_ocp_t>;
template <Element element>
using ElementType = std::tuple_element_t<static_cast<std::size_t>(element), ElementTypes>;

} // namespace detail

/// The types of the values in registers. Instructions for tf32 take floats and round them, except
/// wgmma, which drops the low bits: tensor maps have rounded its operands.
template <Matrix id>
struct MatrixTypes
{
    using A = detail::ElementType<describe(id).a_element>;
    using B = detail::ElementType<describe(id).b_element>;
    using Accumulator =
        std::conditional_t<std::is_same_v<A, double>,
                           double,
                           std::conditional_t<std::is_same_v<A, std::int8_t>, std::int32_t, float>>;
};

/// The register values of one lane.
template <Matrix id>
using MatrixA = Vector<typename MatrixTypes<id>::A, describe(id).a_values>;
template <Matrix id>
using MatrixB = Vector<typename MatrixTypes<id>::B, describe(id).b_values>;
template <Matrix id>
using MatrixC = Vector<typename MatrixTypes<id>::Accumulator, describe(id).c_values>;

/// Bytes of an element of A and B.
constexpr index_t input_bytes(Matrix id)
{
    switch(describe(id).a_element)
    {
    case Element::f16:
    case Element::bf16:
        return 2;
    case Element::f32:
    case Element::tf32:
        return 4;
    case Element::f64:
        return 8;
    case Element::i8:
    case Element::f8:
    case Element::bf8:
    case Element::e4m3:
    case Element::e5m2:
        return 1;
    }
    return 0;
}

} // namespace ck::arch
