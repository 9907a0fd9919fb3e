#pragma once
// What the operations of all directions are made with: tunings, small and one of each family, and
// element-wise operations that add the D tensors.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include "fuzz/operation.hpp"

namespace ck::fuzz {

namespace device = tensor_operation::device;
using device::BaseArgument;
using tensor_operation::element_wise::PassThrough;

/// Tiles of m x n x k by waves of as much or half of it, vectors of A, B and C.
constexpr GemmTuning
tuning_of(arch::Matrix i, Tile tile, Tile wave, std::array<index_t, 3> vectors, Pipeline pipeline)
{
    return {.block_tile  = tile,
            .wave_m      = wave.m,
            .wave_n      = wave.n,
            .instruction = i,
            .a_vector    = vectors[0],
            .b_vector    = vectors[1],
            .c_vector    = vectors[2],
            .pipeline    = pipeline};
}
constexpr GemmTuning merged(GemmTuning t)
{
    t.reduction = Reduction::merged;
    return t;
}

inline constexpr GemmTuning dl_f32 = tuning_of(
    arch::Matrix::dot_f32_8x4x1_f32, {32, 32, 8}, {32, 32, 0}, {1, 1, 1}, Pipeline::single_buffer);
inline constexpr GemmTuning xdl_f16       = tuning_of(arch::Matrix::mfma_f32_16x16x16_f16,
                                                {32, 32, 32},
                                                {32, 32, 0},
                                                {4, 4, 4},
                                                Pipeline::double_buffer);
inline constexpr GemmTuning wmma_f16      = tuning_of(arch::Matrix::wmma_gfx11_f32_16x16x16_f16,
                                                 {32, 32, 32},
                                                 {32, 32, 0},
                                                 {8, 8, 8},
                                                 Pipeline::single_buffer);
inline constexpr GemmTuning mma_f16       = tuning_of(arch::Matrix::mma_f32_16x8x16_f16,
                                                {32, 32, 32},
                                                {32, 32, 0},
                                                {8, 8, 8},
                                                Pipeline::async_copies);
inline constexpr GemmTuning merged_f16    = merged(tuning_of(arch::Matrix::dot_f32_8x4x2_f16,
                                                          {32, 32, 32},
                                                          {32, 32, 0},
                                                          {1, 1, 2},
                                                          Pipeline::double_buffer));
inline constexpr GemmTuning depthwise_f16 = merged(tuning_of(
    arch::Matrix::dot_f32_8x4x2_f16, {64, 32, 64}, {16, 32, 0}, {2, 1, 2}, Pipeline::direct));

/// Tuple<T, ...> with n elements.
template <std::size_t n, class T>
using Times = decltype([]<std::size_t... i>(std::index_sequence<i...>) {
    return Tuple<std::enable_if_t<(i < n), T>...>{};
}(std::make_index_sequence<n>{}));

template <std::size_t d_count>
using Sum = std::conditional_t<d_count == 0,
                               PassThrough,
                               std::conditional_t<d_count == 1,
                                                  tensor_operation::element_wise::Add,
                                                  tensor_operation::element_wise::AddAdd>>;

template <class T, GemmTuning tuning>
Traits traits_of(const char* engine, std::size_t rank, std::size_t d_count, bool wide)
{
    constexpr bool any = tuning.a_vector == 1 && tuning.b_vector == 1 && tuning.c_vector == 1;
    return {.engine        = engine,
            .rank          = rank,
            .d_count       = d_count,
            .element_bytes = sizeof(T),
            .wide          = wide,
            .takes_all     = any && tuning.reduction == Reduction::by_tap};
}
template <class T, GemmTuning tuning>
Traits list_traits_of(const char* engine)
{
    Traits t = traits_of<T, tuning>(engine, 2, 0, false);
    t.lists  = true;
    return t;
}

/// An operation of type Op, without its arguments.
template <class Op>
class Of : public Operation
{
public:
    using Operation::Operation;
    Base& base() override { return op; }
    std::unique_ptr<device::BaseInvoker> invoker() override { return op.MakeInvokerPointer(); }
    double predicted(const BaseArgument& argument) override
    {
        if constexpr(device::is_modelled(Op::Operation::tuning))
            return Op::Operation::predict(dynamic_cast<const typename Op::Argument&>(argument));
        else
            return static_cast<void>(argument), 0.;
    }

protected:
    Op op;
};

template <class T>
void add(Operations& all, const char* engine)
{
    all.push_back(std::make_unique<T>(engine));
}

} // namespace ck::fuzz
