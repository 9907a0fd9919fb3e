#pragma once
// What Composable Kernel's positional names share: instructions from types and sizes, and checks of
// the numbers.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/sequence.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace ck::tensor_operation::device::positional {

template <index_t rank, class Layout1d, class Layout2d, class Layout3d>
using LayoutOfRank = std::tuple_element_t<rank - 1, std::tuple<Layout1d, Layout2d, Layout3d>>;

/// What every engine asks of the types.
template <class In, class Wei, class Out, class Acc>
constexpr void check_types()
{
    static_assert(std::is_same_v<In, Wei> && std::is_same_v<Wei, Out>,
                  "the three tensors must have the same element type");
    static_assert(std::is_same_v<Acc, float>, "AccDataType must be float");
}

/// What every engine asks of the sum's type.
template <class Acc, class T>
constexpr void check_accumulator()
{
    static_assert(
        std::is_same_v<Acc,
                       std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>>,
        "AccDataType must be float, or int32_t for int8_t data");
}

template <class T>
inline constexpr bool is_16_bit = std::is_same_v<T, half_t> || std::is_same_v<T, bhalf_t>;

/// The MFMA that multiplies tiles of m x n: bf16 by the _1k form (gfx90a, gfx942).
template <class T, index_t m, index_t n>
constexpr arch::Matrix xdl_instruction()
{
    static_assert(is_16_bit<T> || std::is_same_v<T, float>,
                  "MFMA here is for f16, bf16 and f32 data");
    static_assert((m == 32 && n == 32) || (m == 16 && n == 16),
                  "MPerXdl x NPerXdl must be 32 x 32 or 16 x 16");
    if constexpr(std::is_same_v<T, half_t>)
        return m == 32 ? arch::Matrix::mfma_f32_32x32x8_f16 : arch::Matrix::mfma_f32_16x16x16_f16;
    else if constexpr(std::is_same_v<T, bhalf_t>)
        return m == 32 ? arch::Matrix::mfma_f32_32x32x8_bf16_1k
                       : arch::Matrix::mfma_f32_16x16x16_bf16_1k;
    else
        return m == 32 ? arch::Matrix::mfma_f32_32x32x2_f32 : arch::Matrix::mfma_f32_16x16x4_f32;
}

template <class T, arch::Target generation>
constexpr arch::Matrix wmma_instruction()
{
    static_assert(is_16_bit<T>, "WMMA here is for f16 and bf16 data");
    static_assert(generation == arch::Target::gfx11 || generation == arch::Target::gfx12,
                  "WMMA is an instruction of gfx11 and of gfx12");
    constexpr bool f16 = std::is_same_v<T, half_t>;
    if constexpr(generation == arch::Target::gfx11)
        return f16 ? arch::Matrix::wmma_gfx11_f32_16x16x16_f16
                   : arch::Matrix::wmma_gfx11_f32_16x16x16_bf16;
    else
        return f16 ? arch::Matrix::wmma_gfx12_f32_16x16x16_f16
                   : arch::Matrix::wmma_gfx12_f32_16x16x16_bf16;
}

template <class T>
constexpr arch::Matrix dl_instruction()
{
    static_assert(is_16_bit<T> || std::is_same_v<T, float>,
                  "dot products here are for f16, bf16 and f32 data");
    return std::is_same_v<T, half_t>    ? arch::Matrix::dot_f32_8x4x2_f16
           : std::is_same_v<T, bhalf_t> ? arch::Matrix::dot_f32_8x4x2_bf16
                                        : arch::Matrix::dot_f32_8x4x1_f32;
}

/// The lanes that the dot "instruction" spreads over rows and columns of C.
inline constexpr index_t dl_lanes_m = 8, dl_lanes_n = 4;

template <class T, class Compute>
constexpr arch::Matrix mma_instruction()
{
    constexpr bool f16  = std::is_same_v<T, half_t> && std::is_same_v<Compute, half_t>;
    constexpr bool bf16 = std::is_same_v<T, bhalf_t> && std::is_same_v<Compute, bhalf_t>;
    constexpr bool tf32 = std::is_same_v<T, float> && std::is_same_v<Compute, tf32_t>;
    static_assert(f16 || bf16 || tf32,
                  "mma.sync here multiplies f16 and bf16 data as such, and f32 data as tf32 where "
                  "ComputeDataType says so");
    return f16    ? arch::Matrix::mma_f32_16x8x16_f16
           : bf16 ? arch::Matrix::mma_f32_16x8x16_bf16
                  : arch::Matrix::mma_f32_16x8x8_tf32;
}

/// A vector of `elements`, or as many as one load of 16 bytes takes.
template <class T>
constexpr index_t load_of(index_t elements)
{
    return math::min(elements, static_cast<index_t>(16 / sizeof(T)));
}

/// The product of a sequence's elements.
template <index_t... Is>
constexpr index_t product(Sequence<Is...>)
{
    return (Is * ... * 1);
}

/// "a, b, c"
template <class... Values>
std::string list(const Values&... values)
{
    std::string text;
    const auto add = [&](const auto& value) {
        text += text.empty() ? "" : ", ";
        if constexpr(std::is_convertible_v<decltype(value), std::string>)
            text += value;
        else
            text += std::to_string(value);
    };
    (add(values), ...);
    return text;
}

} // namespace ck::tensor_operation::device::positional
