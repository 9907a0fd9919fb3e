#pragma once
// The families of the library, each with the instructions that multiply for it. selection.hpp says
// which rows of their tables a build has. Types, operations and instructions are spelled as in C++:
// families as in families.hpp, instructions as in the tables.
#include "ck/convolution/direction.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace ck::manifest {

/// Engines. Their tables are named after them: xdl, xdl_few_channels, xdl_any.
enum class Engine
{
    wgmma,
    wgmma_promoted, ///< wgmma, for types of which it keeps few bits of a sum: threads add its sums
    mma,
    mma_converted, ///< mma.sync, for elements that the instruction must convert
    xdl,
    xdl_small, ///< xdl, for operands whose elements take more registers
    wmma,
    dl,
    dl_small, ///< likewise
    dl_exact  ///< dl, for integers whose sums may exceed 32 bits
};

/// The tables for few channels.
enum class FewChannels
{
    none,
    all,      ///< those of each engine
    depthwise ///< groups of one channel on threads, no operations: dl_depthwise
};

struct Instruction
{
    Engine engine;
    const char* name;    ///< the second argument of the engine's tables
    bool on_host = true; ///< whether it may be the engine's only one on the host
};

/// What a build for the CPU has. It emulates the first instruction of each engine that may be on
/// the host.
enum class OnHost
{
    xdl_wide, ///< all engines for any channels, only XDL for wide vectors
    all_wide, ///< all engines for both
    one       ///< only mma_converted
};

/// How elements of a type are multiplied: by the first of these instructions that the target has.
struct Multiplied
{
    std::span<const Instruction> by;              ///< in order of preference
    FewChannels few_channels = FewChannels::none; ///< tables of forward and backward data
    OnHost on_host           = OnHost::xdl_wide;
};

enum class Kind
{
    tuned,     ///< the tables were made for it
    types,     ///< other types, in the tables of types that are multiplied alike
    operation, ///< another operation
    sums,      ///< results of four bytes, from operands of one or two: some tiles do not fit in LDS
};

struct Entry
{
    const char* family;
    Multiplied as;
    Kind kind           = Kind::tuned;
    bool representative = false; ///< the only one of its direction if CK_INSTANCES says so
};

namespace entries {

using enum Engine;
using enum Kind;
inline constexpr bool representative = true, not_on_host = false;

inline constexpr Instruction by_f16[]{{wgmma, "wgmma_f16"},
                                      {mma, "mma_f16"},
                                      {xdl, "xdl_f16_gfx950", not_on_host},
                                      {xdl, "xdl_f16"},
                                      {wmma, "wmma_gfx11_f16"},
                                      {wmma, "wmma_gfx12_f16"},
                                      {dl, "dl_f16"}};
inline constexpr Instruction by_bf16[]{{wgmma, "wgmma_bf16"},
                                       {mma, "mma_bf16"},
                                       {xdl, "xdl_bf16_gfx950", not_on_host},
                                       {xdl, "xdl_bf16"},
                                       {xdl, "xdl_bf16_gfx908"},
                                       {wmma, "wmma_gfx11_bf16"},
                                       {wmma, "wmma_gfx12_bf16"},
                                       {dl, "dl_bf16"}};
inline constexpr Instruction by_f32[]{{xdl, "xdl_f32"}, {dl, "dl_f32"}};
inline constexpr Instruction by_tf32[]{{wgmma, "wgmma_tf32"}, {mma, "mma_tf32"}, {xdl, "xdl_tf32"}};
inline constexpr Instruction by_f64[]{
    {mma, "mma_f64_sm90"}, {mma, "mma_f64"}, {xdl, "xdl_f64"}, {dl, "dl_f64"}};
inline constexpr Instruction by_i8[]{{wgmma, "wgmma_i8"},
                                     {mma, "mma_i8"},
                                     {xdl, "xdl_i8_gfx950", not_on_host},
                                     {xdl, "xdl_i8"},
                                     {xdl, "xdl_i8_gfx908"},
                                     {wmma, "wmma_gfx11_i8"},
                                     {wmma, "wmma_gfx12_i8"},
                                     {dl, "dl_i8"},
                                     {dl_exact, "dl_f64"}};

inline constexpr Multiplied f16{by_f16, FewChannels::all, OnHost::all_wide},
    bf16{by_bf16, FewChannels::all}, f32{by_f32, FewChannels::all},
    tf32{by_tf32, FewChannels::all, OnHost::all_wide}, f64{by_f64},
    i8{by_i8, FewChannels::depthwise};

/// Eight-bit floats with their own instructions, or as bf16 if the target has none.
template <std::size_t own>
constexpr auto
float8(const Instruction (&by)[own], Engine without_matrix_units = dl, Engine by_mfma = xdl)
{
    std::array<Instruction, own + 5> all{};
    Instruction* at = std::copy(by, by + own, all.data());
    for(const Instruction i : {Instruction{mma_converted, "mma_bf16"},
                               {by_mfma, "xdl_bf16"},
                               {wmma, "wmma_gfx11_bf16"},
                               {wmma, "wmma_gfx12_bf16"},
                               {without_matrix_units, "dl_bf16"}})
        *at++ = i;
    return all;
}
inline constexpr auto by_f8_f8   = float8({{xdl, "xdl_f8(false, false, 8)"}}),
                      by_f8_bf8  = float8({{xdl, "xdl_f8(false, true, 8)"}}),
                      by_bf8_f8  = float8({{xdl, "xdl_f8(true, false, 8)"}}),
                      by_bf8_bf8 = float8({{xdl, "xdl_f8(true, true, 8)"}});
inline constexpr Multiplied f8_f8{by_f8_f8, FewChannels::depthwise}, f8_bf8{by_f8_bf8},
    bf8_f8{by_bf8_f8}, bf8_bf8{by_bf8_bf8};

/// Eight-bit OCP floats, which wgmma, gfx950 and gfx12 multiply.
inline constexpr auto by_ocp_f8_f8   = float8({{wgmma, "wgmma_f8(false, false)"},
                                               {xdl, "xdl_f8_ocp(false, false, 8)"},
                                               {wmma, "wmma_f8(false, false)"}}),
                      by_ocp_f8_bf8  = float8({{wgmma, "wgmma_f8(false, true)"},
                                               {xdl, "xdl_f8_ocp(false, true, 8)"},
                                               {wmma, "wmma_f8(false, true)"}}),
                      by_ocp_bf8_f8  = float8({{wgmma, "wgmma_f8(true, false)"},
                                               {xdl, "xdl_f8_ocp(true, false, 8)"},
                                               {wmma, "wmma_f8(true, false)"}}),
                      by_ocp_bf8_bf8 = float8({{wgmma, "wgmma_f8(true, true)"},
                                               {xdl, "xdl_f8_ocp(true, true, 8)"},
                                               {wmma, "wmma_f8(true, true)"}});
inline constexpr Multiplied ocp_f8_f8{by_ocp_f8_f8, FewChannels::depthwise, OnHost::one},
    ocp_f8_bf8{by_ocp_f8_bf8, FewChannels::none, OnHost::one},
    ocp_bf8_f8{by_ocp_bf8_f8, FewChannels::none, OnHost::one},
    ocp_bf8_bf8{by_ocp_bf8_bf8, FewChannels::none, OnHost::one};

/// Eight-bit OCP floats with sums as the result, which are added in f32.
inline constexpr auto by_ocp_f8_sums = float8({{wgmma_promoted, "wgmma_f8(false, false)"},
                                               {xdl, "xdl_f8_ocp(false, false, 8)"},
                                               {wmma, "wmma_f8(false, false)"}});
inline constexpr Multiplied ocp_f8_sums{by_ocp_f8_sums, FewChannels::depthwise, OnHost::one};
/// bf16 with sums as the result: with floats, backward data's tiles for few channels spill.
inline constexpr Multiplied bf16_sums{by_bf16};

/// f16 rounded to eight bits; tables/dl.hpp says why forward has dl_small.
inline constexpr auto by_f16_f8_f8 =
                          float8({{xdl_small, "xdl_f8(false, false, 16)"}}, dl_small, xdl_small),
                      by_f16_bf8_f8 = float8({{xdl, "xdl_f8(true, false, 16)"}}, dl, xdl_small);
inline constexpr Multiplied f16_f8_f8{by_f16_f8_f8}, f16_bf8_f8{by_f16_bf8_f8};

/// Operands from two tensors: asynchronous copies and tensor maps take one.
inline constexpr Instruction by_f16_pairs[]{{mma_converted, "mma_f16"},
                                            {xdl_small, "xdl_f16"},
                                            {wmma, "wmma_gfx11_f16"},
                                            {wmma, "wmma_gfx12_f16"},
                                            {dl_small, "dl_f16"}};
inline constexpr Instruction by_bf16_pairs[]{{mma_converted, "mma_bf16"},
                                             {xdl_small, "xdl_bf16"},
                                             {xdl_small, "xdl_bf16_gfx908"},
                                             {wmma, "wmma_gfx11_bf16"},
                                             {wmma, "wmma_gfx12_bf16"},
                                             {dl_small, "dl_bf16"}};
inline constexpr Instruction by_f32_pairs[]{{xdl_small, "xdl_f32"}, {dl_small, "dl_f32"}};
inline constexpr Instruction by_i8_pairs[]{{mma, "mma_i8"},
                                           {xdl_small, "xdl_i8"},
                                           {xdl_small, "xdl_i8_gfx908"},
                                           {wmma, "wmma_gfx11_i8"},
                                           {wmma, "wmma_gfx12_i8"},
                                           {dl_small, "dl_i8"},
                                           {dl_exact, "dl_f64"}};
/// int8 with sums as the result, which have 32 bits.
inline constexpr Instruction by_i8_sums[]{{wgmma, "wgmma_i8"},
                                          {mma, "mma_i8"},
                                          {xdl, "xdl_i8_gfx950", not_on_host},
                                          {xdl, "xdl_i8"},
                                          {xdl, "xdl_i8_gfx908"},
                                          {wmma, "wmma_gfx11_i8"},
                                          {wmma, "wmma_gfx12_i8"},
                                          {dl, "dl_i8"}};
inline constexpr Multiplied i8_sums{by_i8_sums, FewChannels::depthwise};

inline constexpr Multiplied f16_pairs{by_f16_pairs}, bf16_pairs{by_bf16_pairs},
    f32_pairs{by_f32_pairs}, i8_pairs{by_i8_pairs};

inline constexpr Entry forward[]{
    {"Forward<half_t>", f16, tuned, representative},
    {"Forward<half_t, Bilinear, half_t>", f16, operation},
    {"Forward<half_t, Scale>", f16, operation},
    {"Forward<half_t, ScaleAddScaleAddRelu, half_t, half_t>", f16, operation},
    {"Forward<half_t, ConvEpilogue, half_t, half_t>", f16, operation},

    {"Forward<bhalf_t>", bf16},
    {"Forward<bhalf_t, Bilinear, bhalf_t>", bf16, operation},
    {"Forward<bhalf_t, Scale>", bf16, operation},
    {"Forward<bhalf_t, ScaleAddScaleAddRelu, bhalf_t, bhalf_t>", bf16, operation},
    {"Forward<bhalf_t, ConvEpilogue, bhalf_t, bhalf_t>", bf16, operation},

    {"Forward<float>", f32},
    {"Forward<float, Bilinear, float>", f32, operation},
    {"Forward<float, Scale>", f32, operation},
    {"Forward<float, ScaleAddScaleAddRelu, float, float>", f32, operation},
    {"Forward<float, ConvEpilogue, float, float>", f32, operation},

    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t>", tf32},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, Bilinear, float>", tf32, operation},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, Scale>", tf32, operation},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, ScaleAddScaleAddRelu, float, float>",
     tf32,
     operation},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, ConvEpilogue, float, float>",
     tf32,
     operation},

    {"Forward<double>", f64},
    {"Forward<double, ConvEpilogue, double, double>", f64, operation},

    {"Forward<half_t, Clamp>", f16, operation},
    {"Forward<half_t, AddClamp, half_t>", f16, operation},
    {"Forward<half_t, BiasNormalizeInInferClamp, half_t, half_t, half_t, half_t, half_t>",
     f16,
     operation},
    {"Forward<half_t, DynamicUnaryOp>", f16, operation},
    {"Forward<bhalf_t, Clamp>", bf16, operation},
    {"Forward<bhalf_t, AddClamp, bhalf_t>", bf16, operation},
    {"Forward<bhalf_t, BiasNormalizeInInferClamp, bhalf_t, bhalf_t, bhalf_t, bhalf_t, bhalf_t>",
     bf16,
     operation},
    {"Forward<bhalf_t, DynamicUnaryOp>", bf16, operation},
    {"Forward<float, Clamp>", f32, operation},
    {"Forward<float, AddClamp, float>", f32, operation},
    {"Forward<float, BiasNormalizeInInferClamp, float, float, float, float, float>",
     f32,
     operation},
    {"Forward<float, DynamicUnaryOp>", f32, operation},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, Clamp>", tf32, operation},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, AddClamp, float>", tf32, operation},
    {"ComputedAs<Direction::forward, float, tf32_t, tf32_t, BiasNormalizeInInferClamp, float, "
     "float, float, float, float>",
     tf32,
     operation},
    {"Forward<std::int8_t, DynamicUnaryOp>", i8, operation},

    {"Forward<half_t, AddRelu, half_t>", f16, operation},
    {"Forward<half_t, AddReluAdd, half_t, half_t>", f16, operation},

    {"Forward<std::int8_t>", i8, types},
    {"Forward<std::int8_t, Bilinear, std::int8_t>", i8, operation},
    {"Forward<std::int8_t, Scale>", i8, operation},
    {"Forward<std::int8_t, Requantize>", i8, operation},
    {"Forward<std::int8_t, Requantize, std::int8_t>", i8, operation},
    {"Forward<std::int8_t, ScaleAddScaleAddRelu, float, float>", i8, operation},
    // back to eight bits, with biases of int32 and scales of float
    {"Forward<std::int8_t, Activation_Mul_Clamp<PassThrough>>", i8, operation},
    {"Forward<std::int8_t, Activation_Mul2_Clamp<PassThrough>, float>", i8, operation},
    {"Forward<std::int8_t, Add_Activation_Mul_Clamp<PassThrough>, std::int32_t>", i8, operation},
    {"Forward<std::int8_t, Add_Activation_Mul2_Clamp<PassThrough>, std::int32_t, float>",
     i8,
     operation},
    {"Forward<std::int8_t, Activation_Mul_Clamp<Relu>>", i8, operation},
    {"Forward<std::int8_t, Activation_Mul2_Clamp<Relu>, float>", i8, operation},
    {"Forward<std::int8_t, Add_Activation_Mul_Clamp<Relu>, std::int32_t>", i8, operation},
    {"Forward<std::int8_t, Add_Activation_Mul2_Clamp<Relu>, std::int32_t, float>", i8, operation},
    {"Forward<std::int8_t, Add_Mul_Activation_Mul_Clamp<TanH>, std::int32_t>", i8, operation},
    {"Forward<std::int8_t, Add_Mul2_Activation_Mul_Clamp<TanH>, std::int32_t, float>",
     i8,
     operation},

    {"MixedForward<f8_t, f8_t, f8_t, PassThrough>", f8_f8, types},
    {"MixedForward<bf8_t, bf8_t, f8_t, PassThrough>", bf8_bf8, types},
    {"MixedForward<f8_t, bf8_t, f8_t, PassThrough>", f8_bf8, types},
    {"MixedForward<bf8_t, f8_t, f8_t, PassThrough>", bf8_f8, types},
    {"MixedForward<f8_t, f8_t, f8_t, ConvScale>", f8_f8, operation},
    {"MixedForward<bf8_t, bf8_t, f8_t, ConvScale>", bf8_bf8, operation},
    {"MixedForward<f8_t, bf8_t, f8_t, ConvScale>", f8_bf8, operation},
    {"MixedForward<bf8_t, f8_t, f8_t, ConvScale>", bf8_f8, operation},
    {"MixedForward<f8_t, f8_t, f8_t, ConvScaleRelu>", f8_f8, operation},
    {"MixedForward<f8_t, f8_t, f8_t, ConvInvscale>", f8_f8, operation},
    {"MixedForward<f8_t, f8_t, float, ScaleScalePass>", f8_f8, operation},
    {"MixedForward<f8_t, f8_t, float, ScaleScaleRelu>", f8_f8, operation},
    {"MixedForward<f8_t, f8_t, f8_t, ConvScaleAdd, float>", f8_f8, operation},

    {"MixedForward<f8_ocp_t, f8_ocp_t, f8_ocp_t, PassThrough>", ocp_f8_f8, types},
    {"MixedForward<bf8_ocp_t, bf8_ocp_t, f8_ocp_t, PassThrough>", ocp_bf8_bf8, types},
    {"MixedForward<f8_ocp_t, bf8_ocp_t, f8_ocp_t, PassThrough>", ocp_f8_bf8, types},
    {"MixedForward<bf8_ocp_t, f8_ocp_t, f8_ocp_t, PassThrough>", ocp_bf8_f8, types},
    {"MixedForward<f8_ocp_t, f8_ocp_t, f8_ocp_t, ConvScale>", ocp_f8_f8, operation},
    {"MixedForward<bf8_ocp_t, bf8_ocp_t, f8_ocp_t, ConvScale>", ocp_bf8_bf8, operation},
    {"MixedForward<f8_ocp_t, bf8_ocp_t, f8_ocp_t, ConvScale>", ocp_f8_bf8, operation},
    {"MixedForward<bf8_ocp_t, f8_ocp_t, f8_ocp_t, ConvScale>", ocp_bf8_f8, operation},
    {"MixedForward<f8_ocp_t, f8_ocp_t, f8_ocp_t, ConvScaleRelu>", ocp_f8_f8, operation},
    {"MixedForward<f8_ocp_t, f8_ocp_t, f8_ocp_t, ConvInvscale>", ocp_f8_f8, operation},
    {"MixedForward<f8_ocp_t, f8_ocp_t, float, ScaleScalePass>", ocp_f8_f8, operation},
    {"MixedForward<f8_ocp_t, f8_ocp_t, float, ScaleScaleRelu>", ocp_f8_f8, operation},
    {"MixedForward<f8_ocp_t, f8_ocp_t, f8_ocp_t, ConvScaleAdd, float>", ocp_f8_f8, operation},

    {"ComputedAs<Direction::forward, half_t, f8_t, f8_t>", f16_f8_f8, types},

    {"ForwardOfPairs<half_t>", f16_pairs, operation},
    {"ForwardOfPairs<bhalf_t>", bf16_pairs, operation},
    {"ForwardOfPairs<float>", f32_pairs, operation},
    {"ForwardOfPairs<std::int8_t>", i8_pairs, operation},

    // for quantized convolutions, which scale the sums in another launch
    {"MixedForward<std::int8_t, std::int8_t, std::int32_t>", i8_sums, sums},
    // for eight-bit floats with scales, likewise: as they are, or converted before the kernel
    {"MixedForward<f8_ocp_t, f8_ocp_t, float>", ocp_f8_sums, sums},
    {"MixedForward<bhalf_t, bhalf_t, float>", bf16, sums},
};

inline constexpr Entry backward_data[]{
    {"BackwardData<half_t>", f16},
    {"BackwardData<half_t, Bilinear, half_t>", f16, operation},
    {"BackwardData<half_t, Scale>", f16, operation},
    {"BackwardData<half_t, ConvEpilogue, half_t, half_t>", f16, operation},

    {"BackwardData<bhalf_t>", bf16, tuned, representative},
    {"BackwardData<bhalf_t, Bilinear, bhalf_t>", bf16, operation},
    {"BackwardData<bhalf_t, Scale>", bf16, operation},
    {"BackwardData<bhalf_t, ConvEpilogue, bhalf_t, bhalf_t>", bf16, operation},

    {"BackwardData<float>", f32},
    {"BackwardData<float, Bilinear, float>", f32, operation},
    {"BackwardData<float, Scale>", f32, operation},
    {"BackwardData<float, ConvEpilogue, float, float>", f32, operation},

    {"ComputedAs<Direction::backward_data, float, tf32_t, tf32_t>", tf32},
    {"ComputedAs<Direction::backward_data, float, tf32_t, tf32_t, Bilinear, float>",
     tf32,
     operation},
    {"ComputedAs<Direction::backward_data, float, tf32_t, tf32_t, Scale>", tf32, operation},
    {"ComputedAs<Direction::backward_data, float, tf32_t, tf32_t, ConvEpilogue, float, float>",
     tf32,
     operation},

    {"BackwardData<double>", f64},
    {"BackwardData<double, ConvEpilogue, double, double>", f64, operation},

    {"BackwardData<std::int8_t>", i8, types},
    {"BackwardData<std::int8_t, Requantize>", i8, operation},
    {"ComputedAs<Direction::backward_data, half_t, bf8_t, f8_t>", f16_bf8_f8, types},
    // for eight-bit floats with scales
    {"MixedBackwardData<bhalf_t, bhalf_t, float>", bf16_sums, sums},
};

inline constexpr Entry backward_weight[]{
    {"BackwardWeight<half_t>", f16},
    {"BackwardWeight<bhalf_t>", bf16},
    {"BackwardWeight<float>", f32, tuned, representative},

    {"ComputedAs<Direction::backward_weight, float, tf32_t, tf32_t>", tf32},
    {"ComputedAs<Direction::backward_weight, float, tf32_t, tf32_t, Bilinear, float>",
     tf32,
     operation},
    {"ComputedAs<Direction::backward_weight, float, tf32_t, tf32_t, Scale>", tf32, operation},

    {"BackwardWeight<double>", f64},

    {"BackwardWeight<bhalf_t, float>", bf16},
    {"BackwardWeight<bhalf_t, bhalf_t, Bilinear, bhalf_t>", bf16, operation},
    {"BackwardWeight<half_t, float>", f16, types},
    {"BackwardWeight<half_t, float, Bilinear, float>", f16, operation},
    {"BackwardWeight<half_t, half_t, Bilinear, half_t>", f16, operation},
    {"BackwardWeight<half_t, half_t, Scale>", f16, operation},
    {"BackwardWeight<float, float, Bilinear, float>", f32, operation},
    {"BackwardWeight<float, float, Scale>", f32, operation},
    {"BackwardWeight<bhalf_t, float, Bilinear, float>", bf16, operation},
    {"BackwardWeight<bhalf_t, float, Scale>", bf16, operation},

    {"BackwardWeight<std::int8_t>", i8, types},
    {"BackwardWeight<std::int8_t, std::int8_t, Requantize>", i8, operation},
    {"ComputedAs<Direction::backward_weight, half_t, bf8_t, f8_t>", f16_bf8_f8, types},
    {"ComputedAs<Direction::backward_weight, half_t, bf8_t, f8_t, Bilinear, half_t>",
     f16_bf8_f8,
     operation},
    {"ComputedAs<Direction::backward_weight, half_t, bf8_t, f8_t, Scale>", f16_bf8_f8, operation},
};

} // namespace entries

/// The families of a direction.
constexpr std::span<const Entry> of(Direction direction)
{
    return direction == Direction::forward ? std::span<const Entry>(entries::forward)
           : direction == Direction::backward_data
               ? std::span<const Entry>(entries::backward_data)
               : std::span<const Entry>(entries::backward_weight);
}

} // namespace ck::manifest
