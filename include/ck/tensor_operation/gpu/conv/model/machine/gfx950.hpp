#pragma once
// AMD gfx950, what differs from gfx90a. Fitted to predictions of the emulator's timing model, not
// to times of a GPU: docs/notes/amd_predicted_times.md. Clock cycles, unless a line says otherwise.
//
// script/machines writes this header of gfx950.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx950 {

/// MI355X, 2400 MHz, 256 units, in cycles of that clock: as in the emulator's timing model
/// (test/amd_emulator/timing/machine.cpp, which names each number's source).
inline constexpr UnitRates rates{.products         = 512,
                                 .products_8       = 1024,
                                 .products_f32     = 32,
                                 .products_f64     = 16,
                                 .lds_bytes        = 163840,
                                 .lds              = 256,
                                 .l2               = 64,
                                 .l2_share         = 50.22,
                                 .read             = 10.32,
                                 .written          = 4.92,
                                 .last_level_bytes = 268435456,
                                 .last_level       = 21.81,
                                 .matrix_power     = 3.77,
                                 .vector_power     = 2.25};

/// Forward and backward data, f16: 312 predictions for 52 problems, from which it differs by 12 %,
/// at most by 65; from 396 others, for 66 problems, by 11 %, at most by 72.
inline constexpr UnitTimes mfma{.alone   = 159,
                                .wave    = 0.518,
                                .step    = 118,
                                .load    = 21.6,
                                .around  = 937,
                                .element = 50.7,
                                .run     = 431,
                                .working = 18.1,
                                .matrix  = 0.901,
                                .lds     = 0.999,
                                .line    = 0.788,
                                .work    = 2.61,
                                .store   = 3.03,
                                .vector  = 11.5,
                                .both    = 0.212,
                                .shown   = 0.447,
                                .waves   = 16};

/// Backward weight, f16: 261 predictions for 12 problems, from which it differs by 8 %, at most by
/// 26; from 190 others, for 11 problems, by 9 %, at most by 36.
inline constexpr WeightTimes weight{.unit       = {.alone   = 93.4,
                                                   .wave    = 1.43,
                                                   .step    = 131,
                                                   .load    = 44.4,
                                                   .around  = 4710,
                                                   .element = 17.5,
                                                   .run     = 0,
                                                   .working = 22.5,
                                                   .matrix  = 1.58,
                                                   .lds     = 1,
                                                   .line    = 0.828,
                                                   .work    = 7.43,
                                                   .store   = 2.62,
                                                   .vector  = 11.9,
                                                   .both    = 0.296,
                                                   .shown   = 0.697,
                                                   .waves   = 12},
                                    .to_add     = 3760,
                                    .added      = 22,
                                    .workgroups = {1, 2, 3, 4}};

} // namespace ck::tensor_operation::device::machine::gfx950
