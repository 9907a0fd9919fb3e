#pragma once
// What Composable Kernel's positional names share: they build a tuning from the positions that
// affect it and check every number. GEMM sides in those names: M rows, N columns, and the reduction
// K, split into K0 x K1.
#include "ck/tensor_operation/gpu/device/convolution_backward_data_specialization.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/warp/fragment.hpp"
#include "ck/utility/blkgemmpipe_scheduler.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/sequence.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace ck::tensor_operation::device::positional {

template <index_t rank, class Layout1d, class Layout2d, class Layout3d>
using LayoutOfRank = std::tuple_element_t<rank - 1, std::tuple<Layout1d, Layout2d, Layout3d>>;

/// The layouts of packed tensors without groups.
template <index_t rank>
using PackedInput = LayoutOfRank<rank,
                                 tensor_layout::convolution::NWC,
                                 tensor_layout::convolution::NHWC,
                                 tensor_layout::convolution::NDHWC>;
template <index_t rank>
using PackedWeight = LayoutOfRank<rank,
                                  tensor_layout::convolution::KXC,
                                  tensor_layout::convolution::KYXC,
                                  tensor_layout::convolution::KZYXC>;
template <index_t rank>
using PackedOutput = LayoutOfRank<rank,
                                  tensor_layout::convolution::NWK,
                                  tensor_layout::convolution::NHWK,
                                  tensor_layout::convolution::NDHWK>;

/// The type that all three tensors must share.
template <class In, class Wei, class Out>
struct Same
{
    static_assert(std::is_same_v<In, Wei> && std::is_same_v<Wei, Out>,
                  "the three tensors must have the same element type");
    using type = Out;
};
template <class In, class Wei, class Out>
using SameType = typename Same<In, Wei, Out>::type;

/// The sum types that every engine accepts.
template <class Acc, class T>
constexpr void check_accumulator()
{
    static_assert(std::is_same_v<
                      Acc,
                      std::conditional_t<
                          std::is_same_v<T, double>,
                          double,
                          std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>>>,
                  "AccDataType must be float, int32_t for int8_t data, or double for double data");
}

template <class T>
inline constexpr bool is_16_bit = std::is_same_v<T, half_t> || std::is_same_v<T, bhalf_t>;

template <class T>
inline constexpr bool is_8_bit_float = std::is_same_v<T, f8_t> || std::is_same_v<T, bf8_t>;

/// The MFMA that multiplies m x n tiles of types A and B. bf16 uses the _1k form (gfx90a, gfx942),
/// int8 gfx90a's form and 8-bit floats gfx942's; see on_other_generation.
template <class A, class B, index_t m, index_t n>
constexpr arch::Matrix xdl_instruction()
{
    using enum arch::Matrix;
    static_assert((m == 32 && n == 32) || (m == 16 && n == 16),
                  "MPerXdl x NPerXdl must be 32 x 32 or 16 x 16");
    constexpr bool f64 = std::is_same_v<A, double>;
    static_assert(!f64 || m == 16, "MFMA of doubles has 16 x 16: MPerXdl x NPerXdl must be, too");
    constexpr bool bf8_a = std::is_same_v<A, bf8_t>, bf8_b = std::is_same_v<B, bf8_t>;
    if constexpr(is_8_bit_float<A> && is_8_bit_float<B>)
        return m == 32 ? (bf8_a ? (bf8_b ? mfma_f32_32x32x16_bf8_bf8 : mfma_f32_32x32x16_bf8_fp8)
                                : (bf8_b ? mfma_f32_32x32x16_fp8_bf8 : mfma_f32_32x32x16_fp8_fp8))
                       : (bf8_a ? (bf8_b ? mfma_f32_16x16x32_bf8_bf8 : mfma_f32_16x16x32_bf8_fp8)
                                : (bf8_b ? mfma_f32_16x16x32_fp8_bf8 : mfma_f32_16x16x32_fp8_fp8));
    else
    {
        constexpr bool f16 = std::is_same_v<A, half_t>, bf16 = std::is_same_v<A, bhalf_t>,
                       f32 = std::is_same_v<A, float>, i8 = std::is_same_v<A, std::int8_t>;
        static_assert(
            std::is_same_v<A, B> && (f16 || bf16 || f32 || f64 || i8),
            "MFMA here multiplies f16, bf16, f32, f64 and int8, each with its own, and any two "
            "eight-bit floats");
        return m == 32 ? (f16    ? mfma_f32_32x32x8_f16
                          : bf16 ? mfma_f32_32x32x8_bf16_1k
                          : f32  ? mfma_f32_32x32x2_f32
                                 : mfma_i32_32x32x8_i8)
                       : (f64    ? mfma_f64_16x16x4_f64
                          : f16  ? mfma_f32_16x16x16_f16
                          : bf16 ? mfma_f32_16x16x16_bf16_1k
                          : f32  ? mfma_f32_16x16x4_f32
                                 : mfma_i32_16x16x16_i8);
    }
}

template <class T, arch::Target generation>
constexpr arch::Matrix wmma_instruction()
{
    using enum arch::Matrix;
    static_assert(is_16_bit<T> || std::is_same_v<T, std::int8_t>,
                  "WMMA here is for f16, bf16 and int8 data");
    static_assert(generation == arch::Target::gfx11 || generation == arch::Target::gfx12,
                  "WMMA is an instruction of gfx11 and of gfx12");
    constexpr bool f16 = std::is_same_v<T, half_t>, bf16 = std::is_same_v<T, bhalf_t>;
    if constexpr(generation == arch::Target::gfx11)
        return f16    ? wmma_gfx11_f32_16x16x16_f16
               : bf16 ? wmma_gfx11_f32_16x16x16_bf16
                      : wmma_gfx11_i32_16x16x16_iu8;
    else
        return f16    ? wmma_gfx12_f32_16x16x16_f16
               : bf16 ? wmma_gfx12_f32_16x16x16_bf16
                      : wmma_gfx12_i32_16x16x16_iu8;
}

template <class T>
constexpr arch::Matrix dl_instruction()
{
    using enum arch::Matrix;
    constexpr bool i8  = std::is_same_v<T, std::int8_t>;
    constexpr bool f64 = std::is_same_v<T, double>;
    static_assert(is_16_bit<T> || std::is_same_v<T, float> || f64 || i8,
                  "dot products here are for f16, bf16, f32, f64 and int8 data");
    return std::is_same_v<T, half_t>    ? dot_f32_8x4x2_f16
           : std::is_same_v<T, bhalf_t> ? dot_f32_8x4x2_bf16
           : i8                         ? dot_i32_8x4x4_i8
           : f64                        ? dot_f64_8x4x1_f64
                                        : dot_f32_8x4x1_f32;
}

/// How the dot "instruction" spreads a wave's lanes over rows and columns of C.
inline constexpr index_t dl_lanes_m = 8, dl_lanes_n = 4;

template <class T, class Compute>
constexpr arch::Matrix mma_instruction()
{
    constexpr bool f16  = std::is_same_v<T, half_t> && std::is_same_v<Compute, half_t>;
    constexpr bool bf16 = std::is_same_v<T, bhalf_t> && std::is_same_v<Compute, bhalf_t>;
    constexpr bool tf32 = std::is_same_v<T, float> && std::is_same_v<Compute, tf32_t>;
    constexpr bool f64  = std::is_same_v<T, double> && std::is_same_v<Compute, double>;
    static_assert(f16 || bf16 || f64 || tf32,
                  "mma.sync here multiplies f16, bf16 and f64 data as such, and f32 data as tf32 "
                  "where ComputeDataType says so");
    return f64    ? arch::Matrix::mma_f64_8x8x4_f64
           : f16  ? arch::Matrix::mma_f32_16x8x16_f16
           : bf16 ? arch::Matrix::mma_f32_16x8x16_bf16
                  : arch::Matrix::mma_f32_16x8x8_tf32;
}

/// The tuning for any engine's positions. T is the type of the operands.
template <class T,
          class Acc,
          arch::Matrix instruction,
          index_t BlockSize,
          Tile block,
          index_t wave_m,
          index_t wave_n>
constexpr GemmTuning wave_tuning(Vectors vectors,
                                 Pipeline pipeline         = Pipeline::single_buffer,
                                 index_t min_blocks_per_cu = 1,
                                 index_t stages            = 3)
{
    check_accumulator<Acc, T>();
    constexpr index_t lanes = arch::describe(instruction).lanes;
    static_assert((block.m / wave_m) * (block.n / wave_n) * lanes == BlockSize,
                  "BlockSize is not the lanes of a wave (64 for MFMA, 32 for others) for each wave "
                  "tile of the block tile");
    return {.block_tile        = block,
            .wave_m            = wave_m,
            .wave_n            = wave_n,
            .instruction       = instruction,
            .a_vector          = vectors.a,
            .b_vector          = vectors.b,
            .c_vector          = vectors.c,
            .pipeline          = pipeline,
            .min_blocks_per_cu = min_blocks_per_cu,
            .stages            = stages};
}

/// Adapts a tuning. Rounds the slice depth up so that it suits the instruction's LDS reads and
/// gives every thread a share. Limits loads of A and B to 16 bytes and to a thread's share.
/// Composable Kernel's rows may have half such slices, longer loads, or idle threads. A tuning that
/// fits stays unchanged.
constexpr GemmTuning fitted(GemmTuning t)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const index_t pack = 16 / arch::input_bytes(t.instruction), threads = block_size(t);
    const index_t groups = warp::fragment_layout(i.a, i.lanes, i.a_values, i.k).groups;
    const auto shared    = [&](index_t rows) { return rows * t.block_tile.k % threads == 0; };
    t.block_tile.k       = math::integer_least_multiple(t.block_tile.k, groups * pack);
    while(!shared(t.block_tile.m) || !shared(t.block_tile.n))
        t.block_tile.k += groups * pack;
    const auto load = [&](index_t vector, index_t rows) {
        return math::min(vector, math::min(pack, rows * t.block_tile.k / threads));
    };
    t.a_vector = load(t.a_vector, t.block_tile.m);
    t.b_vector = load(t.b_vector, t.block_tile.n);
    return t;
}

/// MFMA. T is A's type and B is B's type.
template <class T,
          class Acc,
          index_t BlockSize,
          Tile block,
          index_t MPerXdl,
          index_t NPerXdl,
          index_t MXdlPerWave,
          index_t NXdlPerWave,
          class B = T>
constexpr GemmTuning xdl_tuning(Vectors vectors, Pipeline pipeline = Pipeline::single_buffer)
{
    return fitted(wave_tuning<T,
                              Acc,
                              xdl_instruction<T, B, MPerXdl, NPerXdl>(),
                              BlockSize,
                              block,
                              MPerXdl * MXdlPerWave,
                              NPerXdl * NXdlPerWave>(vectors, pipeline));
}

/// WMMA of gfx11; see on_other_generation.
template <class T,
          class Acc,
          index_t BlockSize,
          Tile block,
          index_t MPerWmma,
          index_t NPerWmma,
          index_t MRepeat,
          index_t NRepeat>
constexpr GemmTuning wmma_tuning(Vectors vectors, Pipeline pipeline = Pipeline::single_buffer)
{
    static_assert(MPerWmma == 16 && NPerWmma == 16, "MPerWmma x NPerWmma must be 16 x 16");
    return fitted(wave_tuning<T,
                              Acc,
                              wmma_instruction<T, arch::Target::gfx11>(),
                              BlockSize,
                              block,
                              MPerWmma * MRepeat,
                              NPerWmma * NRepeat>(vectors, pipeline));
}

/// Reduces over taps and channels together if several groups are merged.
template <index_t groups>
constexpr GemmTuning merging(GemmTuning t)
{
    t.reduction     = groups > 1 ? Reduction::merged : Reduction::by_tap;
    t.merged_groups = groups;
    return t;
}

/// The product of a sequence's elements.
template <index_t... Is>
constexpr index_t product(Sequence<Is...>)
{
    return (Is * ... * 1);
}

/// Dot products. ThreadsM, ThreadsN: sequences whose products are the threads along the sides of
/// the block tile. Fewer threads than a wave are rounded up to one wave, whose tile consists of
/// whole instructions.
template <class T, class Acc, index_t BlockSize, Tile block, class ThreadsM, class ThreadsN>
constexpr GemmTuning dl_tuning(Vectors vectors)
{
    check_accumulator<Acc, T>();
    constexpr index_t m = product(ThreadsM{}), n = product(ThreadsN{});
    static_assert(m * n == BlockSize, "the product of the thread clusters is not BlockSize");
    constexpr bool one_wave = BlockSize < dl_lanes_m * dl_lanes_n;
    static_assert(
        one_wave || (m % dl_lanes_m == 0 && n % dl_lanes_n == 0),
        "a thread cluster must have a multiple of 8 threads along M and of 4 threads along N");
    constexpr index_t side    = one_wave ? dl_lanes_m : 1; // a wave's tile has whole ones
    constexpr index_t waves_m = one_wave ? 1 : m / dl_lanes_m,
                      waves_n = one_wave ? 1 : n / dl_lanes_n;
    constexpr Tile tile{math::integer_least_multiple(block.m, side),
                        math::integer_least_multiple(block.n, side),
                        block.k};
    return fitted({.block_tile  = tile,
                   .wave_m      = tile.m / waves_m,
                   .wave_n      = tile.n / waves_n,
                   .instruction = dl_instruction<T>(),
                   .a_vector    = vectors.a,
                   .b_vector    = vectors.b,
                   .c_vector    = vectors.c});
}

/// The load width of A or B, as dimension `dim` gives it. For operands whose contiguous channels
/// are the reduction: X, forward's W, and backward data's dY.
template <index_t dim, index_t vector>
constexpr index_t along_reduction()
{
    static_assert(vector == 1 || dim == 2,
                  "channels are contiguous in memory and are the reduction: "
                  "BlockTransferSrcVectorDim must be 2");
    return vector;
}
/// The same where the contiguous channels are rows or columns: backward data's W, backward weight's
/// dY and X. Dims has an element per dimension; the last two are that side and K1.
template <index_t dim, index_t vector, class Dims>
constexpr index_t along_side()
{
    static_assert(vector == 1 || dim == Dims::Size() - 2,
                  "channels are contiguous in memory and are rows or columns: "
                  "BlockTransferSrcVectorDim must be the last dimension but one");
    return vector;
}

/// The same for dot products, whose lists give lengths along (KBatch) K0 M0 M1 K1. Loads along the
/// reduction are at most 16 bytes.
template <class T, class Lengths>
constexpr index_t dl_along_reduction()
{
    constexpr index_t last = Lengths::Size() - 1;
    static_assert(Lengths::At(last - 2) == 1 && Lengths::At(last - 1) == 1,
                  "channels are contiguous in memory and are the reduction: a vector has one row");
    return math::min(Lengths::At(last - 3) * Lengths::At(last),
                     static_cast<index_t>(16 / sizeof(T)));
}
/// Loads along the other side are at most as wide as the "instruction" has columns.
template <class Lengths>
constexpr index_t dl_along_side()
{
    constexpr index_t last = Lengths::Size() - 1;
    static_assert(Lengths::At(last - 3) == 1 && Lengths::At(last) == 1,
                  "channels are contiguous in memory and are rows or columns: a vector has one "
                  "element of the reduction");
    return math::min(Lengths::At(last - 2) * Lengths::At(last - 1), dl_lanes_n);
}

/// Several prefetch stages need several LDS buffers.
constexpr Pipeline pipeline_of(index_t prefetch_stages)
{
    return prefetch_stages > 1 ? Pipeline::double_buffer : Pipeline::single_buffer;
}
constexpr Pipeline pipeline_of(BlockGemmPipelineVersion version)
{
    return version == BlockGemmPipelineVersion::v1 ? Pipeline::single_buffer
                                                   : Pipeline::double_buffer;
}

/// The names as type strings print them.
inline std::string names_of(BlockGemmPipelineScheduler scheduler, BlockGemmPipelineVersion version)
{
    return std::string("BlkGemmPipelineScheduler: ") +
           (scheduler == BlockGemmPipelineScheduler::Intrawave ? "Intrawave" : "Interwave") +
           ", BlkGemmPipelineVersion: v" + std::to_string(static_cast<int>(version) + 1);
}

/// The end of type strings of backward data without groups: empty, or a space and the name.
inline std::string suffix_of(ConvolutionBackwardDataSpecialization s)
{
    return s == ConvolutionBackwardDataSpecialization::Default
               ? ""
               : " " + getConvBackwardDataSpecializationString(s);
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

/// Slice depth of the later names, in elements. It is K0PerBlock itself if the thread cluster
/// along K0 (first, or after a batch) covers it in pieces of K1; otherwise K0PerBlock pieces of
/// K1.
template <index_t K0PerBlock, index_t K1, class Cluster>
constexpr index_t slice_depth()
{
    constexpr index_t threads = Cluster::At(Cluster::mSize == 4 ? 1 : 0);
    return K0PerBlock % K1 == 0 && threads <= K0PerBlock / K1 && threads * K1 <= K0PerBlock
               ? K0PerBlock
               : K0PerBlock * K1;
}

} // namespace ck::tensor_operation::device::positional
