#pragma once
// Small kernels and small problems: uneven pads, strides, dilations, and channels that fill no
// tile.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <vector>

namespace ck::test {

/// vector: of every operand.
constexpr GemmTuning tuning_of(arch::Matrix id, Pipeline pipeline, index_t vector)
{
    return {.block_tile  = {32, 32, 32},
            .wave_m      = 32,
            .wave_n      = 16,
            .instruction = id,
            .a_vector    = vector,
            .b_vector    = vector,
            .c_vector    = vector,
            .pipeline    = pipeline};
}

/// Taps and channels are one reduction, and small groups are computed together.
constexpr GemmTuning merged(arch::Matrix id, index_t a_vector, index_t c_vector)
{
    GemmTuning t = tuning_of(id, Pipeline::double_buffer, 1);
    t.a_vector   = a_vector;
    t.c_vector   = c_vector;
    t.reduction  = Reduction::merged;
    return t;
}

/// Groups of one channel.
constexpr GemmTuning depthwise()
{
    return {.block_tile  = {256, 8, 64},
            .wave_m      = 64,
            .wave_n      = 8,
            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
            .a_vector    = 4,
            .b_vector    = 1,
            .c_vector    = 4,
            .pipeline    = Pipeline::direct,
            .reduction   = Reduction::merged};
}

/// Multiples of `multiple`.
inline std::vector<ConvProblem> channels_of(long_index_t multiple, long_index_t groups = 2)
{
    const long_index_t k = (36 / multiple + 1) * multiple, c = (20 / multiple + 1) * multiple;
    return {make_packed_problem<2>(groups, 2, k, c, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(1, 2, c, k, {2, 3}, {6, 7}, {2, 2}, {2, 1}, {0, 3}, {1, 1})};
}

inline std::vector<ConvProblem> problems_of_small_groups()
{
    return {make_packed_problem<2>(8, 2, 1, 1, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(4, 1, 2, 3, {3, 2}, {6, 7}, {2, 2}, {2, 1}, {0, 3}, {1, 1}),
            make_packed_problem<2>(3, 1, 4, 4, {2, 2}, {5, 5}, {1, 1}, {1, 1}, {1, 0}, {0, 1})};
}

inline std::vector<ConvProblem> depthwise_problems()
{
    return {make_packed_problem<2>(8, 2, 1, 1, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(12, 2, 1, 1, {3, 3}, {6, 7}, {2, 2}, {2, 1}, {0, 3}, {1, 1})};
}

} // namespace ck::test
