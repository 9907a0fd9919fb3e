#pragma once
// AMD gfx942; every device with MFMA takes these numbers. Fitted to predictions of the emulator's
// timing model, not to times of a GPU: docs/notes/amd_predicted_times.md. Clock cycles, unless a
// line says otherwise.
//
// script/machines writes this header of gfx942.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx942 {

/// MI300X, 2100 MHz, 304 units, in cycles of that clock: as in the emulator's timing model
/// (test/amd_emulator/timing/machine.cpp, which names each number's source).
inline constexpr UnitRates rates{.products         = 256,
                                 .products_8       = 512,
                                 .products_f32     = 32,
                                 .products_f64     = 32,
                                 .lds_bytes        = 65536,
                                 .lds              = 128,
                                 .l2               = 64,
                                 .l2_share         = 42.29,
                                 .read             = 6.58,
                                 .written          = 3.13,
                                 .last_level_bytes = 268435456,
                                 .last_level       = 20.99,
                                 .matrix_power     = 3.77,
                                 .vector_power     = 2.25};

/// Forward and backward data, f16: 468 predictions for 52 problems, from which it differs by 11 %,
/// at most by 60; from 594 others, for 66 problems, by 10 %, at most by 65.
inline constexpr UnitTimes mfma{.alone   = 140,
                                .wave    = 0.484,
                                .step    = 186,
                                .load    = 15.4,
                                .around  = 743,
                                .element = 47.7,
                                .run     = 273,
                                .working = 18.7,
                                .matrix  = 0.947,
                                .lds     = 1.1,
                                .line    = 0.808,
                                .work    = 2.97,
                                .store   = 2.99,
                                .vector  = 9.73,
                                .both    = 0.198,
                                .shown   = 0.448,
                                .waves   = 20};

/// Backward weight, f16: 479 predictions for 23 problems, from which it differs by 8 %, at most by
/// 33; from 640 others, for 31 problems, by 9 %, at most by 40.
inline constexpr WeightTimes weight{.unit       = {.alone   = 138,
                                                   .wave    = 1.17,
                                                   .step    = 229,
                                                   .load    = 8.74,
                                                   .around  = 3960,
                                                   .element = 17.3,
                                                   .run     = 0,
                                                   .working = 22.2,
                                                   .matrix  = 0.965,
                                                   .lds     = 0.852,
                                                   .line    = 1.27,
                                                   .work    = 2.44,
                                                   .store   = 2.18,
                                                   .vector  = 9.44,
                                                   .both    = 0.497,
                                                   .shown   = 0.712,
                                                   .waves   = 20},
                                    .to_add     = 3850,
                                    .added      = 20,
                                    .workgroups = {1, 2, 3, 4}};

/// Channel-slice windows, f16. Differs from 66 predictions by 11 % (root of the mean square), at
/// most by 26, from 33 for gfx90a by 16 %, at most by 24, and from 33 for gfx950 by 13 %, at most
/// by 27.
namespace channel_slice_window {
inline constexpr double start    = 6500; ///< until the first pixels are there, and of the last ones
inline constexpr double filter   = 200;  ///< of a thread, before its first tile
inline constexpr double product  = 6.4;  ///< of a compute unit
inline constexpr double load     = 0.39;
inline constexpr double barriers = 1750; ///< that a block alone waits,
inline constexpr double tap      = 440;  ///< and a wave
} // namespace channel_slice_window

/// Kernels of 1x1 with few channels take gfx90a's numbers and this one, fitted to nine launches
/// with 3 to 16 column tiles.
namespace pointwise {
inline constexpr double again = 0.55; ///< of A, which comes from the Infinity Cache
} // namespace pointwise

/// Several waves share a reduction: 6 problems of one pixel in two directions by 10 tunings, from
/// which it differs by 15 %.
inline constexpr IntraBlockSplitKTimes intra_block_split_k{
    .start = 1840, .load = 6, .sector = 0, .line = 3, .wait = 570, .sums = 6000, .line_bytes = 64};

/// L1 and L2.
namespace cache {
inline constexpr double line = 128; ///< bytes
} // namespace cache

} // namespace ck::tensor_operation::device::machine::gfx942
