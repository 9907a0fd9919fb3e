#pragma once
// AMD gfx1200. Fitted to predictions of the emulator's timing model, not to times of a GPU:
// docs/notes/amd_predicted_times.md. Clock cycles, unless a line says otherwise. A unit is two CUs,
// which share LDS.
//
// script/machines writes this header of gfx1200.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx1200 {

/// RX 9060 XT, 3130 MHz, 16 units, in cycles of that clock: as in the emulator's timing model
/// (test/amd_emulator/timing/machine.cpp, which names each number's source).
inline constexpr UnitRates rates{.products         = 256,
                                 .products_8       = 512,
                                 .products_f32     = 0,
                                 .products_f64     = 0,
                                 .lds_bytes        = 131072,
                                 .lds              = 256,
                                 .l2               = 128,
                                 .l2_share         = 64,
                                 .read             = 6.39,
                                 .written          = 6.39,
                                 .last_level_bytes = 33554432,
                                 .last_level       = 29.95,
                                 .matrix_power     = 0,
                                 .vector_power     = 0};

/// Forward and backward data, f16: 156 predictions for 52 problems, from which it differs by 22 %,
/// at most by 175; from 198 others, for 66 problems, by 32 %, at most by 190.
inline constexpr UnitTimes wmma{.alone   = 90,
                                .wave    = 0.469,
                                .step    = 86.4,
                                .load    = 12.1,
                                .around  = 360,
                                .element = 44.2,
                                .run     = 170,
                                .working = 13.8,
                                .matrix  = 0.842,
                                .lds     = 1,
                                .line    = 0.61,
                                .work    = 2.37,
                                .store   = 2.71,
                                .vector  = 10,
                                .both    = 0.19,
                                .shown   = 0.294,
                                .waves   = 40};

/// Backward weight, f16: 33 predictions for 5 problems, from which it differs by 5 %, at most by
/// 17; from 57 others, for 9 problems, by 13 %, at most by 59.
inline constexpr WeightTimes weight{.unit       = {.alone   = 110,
                                                   .wave    = 0.29,
                                                   .step    = 123,
                                                   .load    = 2.71,
                                                   .around  = 301,
                                                   .element = 25,
                                                   .run     = 0,
                                                   .working = 34.3,
                                                   .matrix  = 1.19,
                                                   .lds     = 1,
                                                   .line    = 1,
                                                   .work    = 0.549,
                                                   .store   = 1.84,
                                                   .vector  = 10,
                                                   .both    = 0.729,
                                                   .shown   = 0.144,
                                                   .waves   = 32},
                                    .to_add     = 1830,
                                    .added      = 34.5,
                                    .workgroups = {1, 2, 4, 8}};

namespace pointwise {
inline constexpr double bytes_of_cycle = 7.1; ///< of each unit
} // namespace pointwise

/// 11 problems of f16 by 6 tunings, from which it differs by 9 %.
namespace first_layer {
inline constexpr double product = 1.6; ///< what a compute unit takes for one of each of a tile
inline constexpr double store   = 0.832;
inline constexpr double load    = 0.366;
inline constexpr double filter  = 106;         ///< of a thread, before its first tile
inline constexpr double bytes_of_cycle = 7.15; ///< of each unit
} // namespace first_layer

} // namespace ck::tensor_operation::device::machine::gfx1200
