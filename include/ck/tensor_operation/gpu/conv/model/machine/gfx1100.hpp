#pragma once
// AMD gfx1100. Fitted to predictions of the emulator's timing model, not to times of a GPU:
// docs/notes/amd_predicted_times.md. Clock cycles, unless a line says otherwise. A unit is two CUs,
// which share LDS.
//
// script/machines writes this header of gfx1100.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx1100 {

/// RX 7900 XTX, 2500 MHz, 48 units, in cycles of that clock: as in the emulator's timing model
/// (test/amd_emulator/timing/machine.cpp, which names each number's source).
inline constexpr UnitRates rates{.products         = 128,
                                 .products_8       = 128,
                                 .products_f32     = 0,
                                 .products_f64     = 0,
                                 .lds_bytes        = 131072,
                                 .lds              = 256,
                                 .l2               = 128,
                                 .l2_share         = 64,
                                 .read             = 8,
                                 .written          = 8,
                                 .last_level_bytes = 100663296,
                                 .last_level       = 25,
                                 .matrix_power     = 0,
                                 .vector_power     = 0};

/// Forward and backward data, f16: 156 predictions for 52 problems, from which it differs by 11 %,
/// at most by 82; from 198 others, for 66 problems, by 18 %, at most by 97.
inline constexpr UnitTimes wmma{.alone   = 44.4,
                                .wave    = 1.01,
                                .step    = 31.8,
                                .load    = 17.8,
                                .around  = 143,
                                .element = 20.5,
                                .run     = 139,
                                .working = 4.05,
                                .matrix  = 0.902,
                                .lds     = 1,
                                .line    = 0.902,
                                .work    = 0.752,
                                .store   = 1.15,
                                .vector  = 10,
                                .both    = 0.322,
                                .shown   = 0.336,
                                .waves   = 28};

/// Backward weight, f16: 73 predictions for 8 problems, from which it differs by 5 %, at most by
/// 14; from 79 others, for 10 problems, by 7 %, at most by 20.
inline constexpr WeightTimes weight{.unit       = {.alone   = 117,
                                                   .wave    = 0.383,
                                                   .step    = 140,
                                                   .load    = 4.82,
                                                   .around  = 206,
                                                   .element = 41,
                                                   .run     = 0,
                                                   .working = 29.7,
                                                   .matrix  = 1.05,
                                                   .lds     = 1,
                                                   .line    = 1,
                                                   .work    = 0.969,
                                                   .store   = 2.04,
                                                   .vector  = 10,
                                                   .both    = 0.626,
                                                   .shown   = 0.16,
                                                   .waves   = 32},
                                    .to_add     = 1270,
                                    .added      = 25.5,
                                    .workgroups = {1, 2, 4, 8}};

/// Loads of a wave, whose places merged taps and channels look up one by one; gfx1200 takes the
/// same. 72 predictions, from which the whole differs by 14 %.
namespace wmma_merged {
inline constexpr double b_works = 10;
inline constexpr double a_waits = 5;
} // namespace wmma_merged

/// 13 problems of f16 by 8 tunings, gfx1100 and gfx1200, from which it differs by 10 and 11 %.
namespace pointwise {
inline constexpr double filter         = 6.4;  ///< of a block, which waits for its filters
inline constexpr double product        = 0.92; ///< of a compute unit
inline constexpr double column         = 52;
inline constexpr double again          = 0.89; ///< of A, for each further tile of columns
inline constexpr double bytes_of_cycle = 8.9;  ///< of each unit
} // namespace pointwise

} // namespace ck::tensor_operation::device::machine::gfx1100
