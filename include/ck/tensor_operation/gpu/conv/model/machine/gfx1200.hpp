#pragma once
// AMD gfx1200. Fitted to predictions of the emulator's timing model, not to times of a GPU:
// docs/notes/amd_predicted_times.md. Clock cycles, unless a line says otherwise. A unit is two CUs,
// which share LDS.
//
// script/machines writes this header of gfx1200.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx1200 {

/// 144 predictions, from which they differ by 23 %.
inline constexpr UnitTimes wmma{.matrix         = 0.779,
                                .store          = 0.0253,
                                .alone          = 419,
                                .wave           = 0.848,
                                .around         = 2830,
                                .element        = 0.401,
                                .waves          = 12.5,
                                .both           = 0,
                                .bytes_of_cycle = 6.54};

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

/// 130 predictions, from which they differ by 15 %; from 117 others by 15 %.
inline constexpr WeightTimes weight{.unit       = {.matrix         = 0.707,
                                                   .store          = 0.191,
                                                   .alone          = 1020,
                                                   .wave           = 0,
                                                   .around         = 2320,
                                                   .element        = 0.256,
                                                   .waves          = 27.3,
                                                   .both           = 0,
                                                   .bytes_of_cycle = 8.05},
                                    .load       = 2.23,
                                    .waits      = 3.33,
                                    .to_add     = 4030,
                                    .lds        = 131072,
                                    .workgroups = {1, 2, 4, 8}};

} // namespace ck::tensor_operation::device::machine::gfx1200
