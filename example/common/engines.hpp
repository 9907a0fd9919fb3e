#pragma once
// The kernels of the examples: for each engine and element type, one tuning with wide loads and
// stores and one for any number of channels. The library's tables have tunings for speed.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/utility/data_type.hpp"

#include <array>

namespace example {

/// The names of element types in programs.
using fp64 = double;
using fp32 = float;
using fp16 = ck::half_t;
using bf16 = ck::bhalf_t;
using int8 = std::int8_t;

enum class Engine
{
    xdl,  // MFMA: gfx908, gfx90a, gfx942
    wmma, // gfx11, gfx12
    dl,   // dot products or multiply-add: any GPU
    mma,  // mma.sync: NVIDIA, sm_80 and later
};

/// An engine's matrix instructions for a type; several if GPUs differ.
template <Engine engine, class T>
inline constexpr auto instructions = nullptr;

using enum ck::arch::Matrix;
template <>
inline constexpr std::array instructions<Engine::xdl, fp32>{mfma_f32_32x32x2_f32};
template <>
inline constexpr std::array instructions<Engine::xdl, fp64>{mfma_f64_16x16x4_f64};
template <>
inline constexpr std::array instructions<Engine::xdl, fp16>{mfma_f32_32x32x8_f16};
template <>
inline constexpr std::array instructions<Engine::xdl, bf16>{mfma_f32_32x32x8_bf16_1k,
                                                            mfma_f32_32x32x4_bf16};
template <>
inline constexpr std::array instructions<Engine::xdl, int8>{mfma_i32_32x32x16_i8,
                                                            mfma_i32_32x32x8_i8};
template <>
inline constexpr std::array instructions<Engine::wmma, fp16>{wmma_gfx11_f32_16x16x16_f16,
                                                             wmma_gfx12_f32_16x16x16_f16};
template <>
inline constexpr std::array instructions<Engine::wmma, bf16>{wmma_gfx11_f32_16x16x16_bf16,
                                                             wmma_gfx12_f32_16x16x16_bf16};
template <>
inline constexpr std::array instructions<Engine::wmma, int8>{wmma_gfx11_i32_16x16x16_iu8,
                                                             wmma_gfx12_i32_16x16x16_iu8};
template <>
inline constexpr std::array instructions<Engine::dl, fp32>{dot_f32_8x4x1_f32};
template <>
inline constexpr std::array instructions<Engine::dl, fp16>{dot_f32_8x4x2_f16};
template <>
inline constexpr std::array instructions<Engine::dl, bf16>{dot_f32_8x4x2_bf16};
template <>
inline constexpr std::array instructions<Engine::dl, int8>{dot_i32_8x4x4_i8};
template <>
inline constexpr std::array instructions<Engine::mma, fp64>{mma_f64_16x8x8_f64, mma_f64_8x8x4_f64};
template <>
inline constexpr std::array instructions<Engine::mma, int8>{mma_i32_16x8x32_s8};
template <>
inline constexpr std::array instructions<Engine::mma, fp16>{mma_f32_16x8x16_f16};
template <>
inline constexpr std::array instructions<Engine::mma, bf16>{mma_f32_16x8x16_bf16};

/// A workgroup of four waves computes 64 x 64 of the result.
template <Engine engine, class T>
constexpr ck::GemmTuning tuning(ck::arch::Matrix instruction,
                                ck::index_t a_vector,
                                ck::index_t b_vector,
                                ck::index_t c_vector)
{
    constexpr ck::index_t bytes = engine == Engine::dl ? 32 : 64; // depth of an LDS slice
    return {.block_tile  = {64, 64, bytes / static_cast<ck::index_t>(sizeof(T))},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = instruction,
            .a_vector    = a_vector,
            .b_vector    = b_vector,
            .c_vector    = c_vector};
}

/// The best comes first. along_k: whether an operand is contiguous along the reduction; otherwise
/// it is contiguous along its rows.
template <Engine engine, class T, bool a_along_k, bool b_along_k>
constexpr auto tunings()
{
    constexpr auto& ids       = instructions<engine, T>;
    constexpr ck::index_t all = 16 / sizeof(T), rows = ck::math::min(all, 4);
    // A wave of the dot products stores rows of 32 elements 8 at a time.
    constexpr ck::index_t stored = engine == Engine::dl ? ck::math::min(all, 8) : all;
    std::array<ck::GemmTuning, 2 * ids.size()> list{};
    for(std::size_t i = 0; i < ids.size(); ++i)
    {
        list[i] = tuning<engine, T>(ids[i], a_along_k ? all : rows, b_along_k ? all : rows, stored);
        list[i + ids.size()] = tuning<engine, T>(ids[i], 1, 1, 1);
    }
    return list;
}

} // namespace example
