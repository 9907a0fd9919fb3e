#pragma once
// The warpgroup-wide wgmma (sm_90a), for channels that are multiples of 8.
//
// Measured on an H200 at 1980 MHz with f16; "instead of" is the best of the other rows here, then
// the best of mma.sync. N K C, image, filter, stride (1 unless said):
//   P1   64 512 512  28x28     3x3      P5  256 256  64  56x56     1x1
//   P2  256 128 128  28x28     3x3      P6    2  32  32  128^3     3x3x3
//   P3  256  64  64  56x56     3x3      P7  128 256 128  71x71     3x3 2
//   P4  256  64  64  56x56     1x1
#include "tables/rows.hpp"

namespace ck::tables {

inline constexpr Matrix wgmma_f16  = wgmma_f32_16x8x16_f16;
inline constexpr Matrix wgmma_bf16 = wgmma_f32_16x8x16_bf16; // takes the time of f16

constexpr GemmTuning wgmma_tile(Matrix i,
                                index_t m,
                                index_t n,
                                index_t stages,
                                index_t min_blocks_per_unit,
                                Reduction reduction = Reduction::by_tap)
{
    return {.block_tile          = {m, n, 64},
            .wave_m              = 16,
            .wave_n              = n,
            .instruction         = i,
            .a_vector            = 8,
            .b_vector            = 8,
            .c_vector            = 8,
            .pipeline            = Pipeline::async_copies,
            .min_blocks_per_unit = min_blocks_per_unit,
            .stages              = stages,
            .reduction           = reduction};
}

/// Forward and backward data.
template <Direction direction, Matrix i>
inline constexpr auto wgmma = std::array{
    // forward P1 0.323 ms instead of 0.370 (0.686), P7 0.181 instead of 0.203 (0.332)
    wgmma_tile(i, 128, 256, 4, 1),
    // forward P2 0.126 instead of 0.136 (0.198); backward data P7 0.208 instead of 0.226 (0.334)
    wgmma_tile(i, 256, 128, 4, 1),
    // forward P5 0.197 instead of 0.210 (0.247)
    wgmma_tile(i, 128, 128, 3, 2),
    // forward P3 0.209 instead of 0.303 (0.407), P4 0.061 instead of 0.083 (0.112)
    wgmma_tile(i, 128, 64, 3, 3),
    // P6: see docs/measurements.md
    wgmma_tile(i, 128, 64, 3, 3, Reduction::merged),
};

/// Backward weight: rows are the channels of Y, columns those of X at each tap.
template <Matrix i>
inline constexpr auto wgmma<Direction::backward_weight, i> = std::array{
    // P1 0.453 ms instead of 0.638 (0.801), P2 0.120 instead of 0.161 (0.196)
    wgmma_tile(i, 128, 256, 4, 1),
    // P3 0.176 instead of 0.259 (0.402), P6 1.30 instead of 1.89 (2.85)
    wgmma_tile(i, 64, 128, 4, 2),
    // P5 0.126 instead of 0.146 (0.162)
    wgmma_tile(i, 128, 64, 4, 2),
};

} // namespace ck::tables
