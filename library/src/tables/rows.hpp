#pragma once
// Helpers for writing the tables of tunings. The tables are the only hand-written part of the
// library's kernels: a row is a kernel. manifest.hpp says which table is built where.
//
//   <engine><direction, instructions>      for channels that are multiples of 2 and more, by
//                                          preference
//   <engine>_any<direction, instructions>  for any channels; the first row takes every problem
#include "ck/convolution/direction.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ck::tables {

using arch::Matrix;
using enum arch::Matrix;

/// The number of elements in 16 bytes.
constexpr index_t widest(Matrix i) { return 16 / arch::input_bytes(i); }

constexpr bool of_64_bits(Matrix i) { return arch::input_bytes(i) == 8; }
constexpr bool of_16_bits(Matrix i) { return arch::input_bytes(i) == 2; }
constexpr bool of_8_bits(Matrix i) { return arch::input_bytes(i) == 1; }

/// The vectors for channels that are multiples of `widest`, the number of elements in 16 bytes.
/// An operand that is contiguous along its rows (B of backward data, A and B of backward weight)
/// is transposed in registers, four rows at a time. Partial sums are stored as four floats or two
/// doubles.
constexpr Vectors wide_vectors(Direction direction, index_t widest)
{
    const index_t four = std::min(4, widest);
    return direction == Direction::forward         ? Vectors{widest, widest, widest}
           : direction == Direction::backward_data ? Vectors{widest, four, widest}
                                                   : Vectors{four, four, four};
}

/// The vectors for few channels of X and many of Y: the first layer of a network has 3 and 64.
constexpr Vectors first_layer_vectors(Direction direction, index_t widest)
{
    return direction == Direction::forward         ? Vectors{1, 1, widest}
           : direction == Direction::backward_data ? Vectors{widest, 1, 1}
                                                   : Vectors{std::min(4, widest), 1, 1};
}

/// Forward and backward data of few channels: small groups are computed together, and taps and
/// channels are one reduction. i: an instruction with at most 16 rows; widest: elements in 16
/// bytes; narrow_store: vector of a store if a wave has 16 columns, since a thread has this many of
/// an instruction's rows; k: the depth of a slice. tables/mma.hpp says which problems the tiles are
/// for, and what they gain.
constexpr auto few_channels(Matrix i, index_t widest, index_t narrow_store = 4, index_t k = 32)
{
    const auto row = [&](Tile block_tile, index_t wave_m, index_t wave_n, Vectors v) {
        return GemmTuning{.block_tile  = block_tile,
                          .wave_m      = wave_m,
                          .wave_n      = wave_n,
                          .instruction = i,
                          .a_vector    = v.a,
                          .b_vector    = v.b,
                          .c_vector    = v.c,
                          .reduction   = Reduction::merged};
    };
    return std::array{
        row({128, 16, k}, 32, 16, {widest, 1, narrow_store}), // depthwise
        row({128, 32, k}, 32, 32, {widest, 4, widest}),       // groups of 4 to 16
        row({128, 64, k}, 64, 32, {1, 1, widest}),            // a first layer
        row({128, 64, k}, 64, 32, {4, 4, widest}),            // of channels padded to 4
        row({128, 16, k}, 32, 16, {2, 1, 2}),                 // depthwise, even
        row({128, 16, k}, 32, 16, {1, 1, 1}),                 // any
    };
}

/// Concatenates tables.
template <std::size_t... n>
constexpr auto join(const std::array<GemmTuning, n>&... tables)
{
    std::array<GemmTuning, (n + ...)> all{};
    auto at = all.begin();
    ((at = std::copy(tables.begin(), tables.end(), at)), ...);
    return all;
}

} // namespace ck::tables
