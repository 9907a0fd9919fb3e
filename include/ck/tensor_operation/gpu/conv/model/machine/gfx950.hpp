#pragma once
// AMD gfx950, what differs from gfx90a. Fitted to predictions of the emulator's timing model, not
// to times of a GPU: docs/notes/amd_predicted_times.md. Clock cycles, unless a line says otherwise.
//
// script/machines writes this header of gfx950.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx950 {

/// MFMA, slices loaded straight to LDS.
inline constexpr MfmaTimes mfma{.products       = 256,
                                .working        = 152,
                                .matrix         = 0.616,
                                .alone          = 428,
                                .line           = 0,
                                .byte           = 0.0046,
                                .wave           = 0.816,
                                .at_a_time      = 3,
                                .around         = 3480,
                                .element        = 0.067,
                                .both           = 0,
                                .bytes_of_cycle = 8.375};

/// 316 predictions, from which they differ by 15 %; from 236 others by 14 %.
inline constexpr WeightTimes weight{.unit       = {.matrix         = 0.1,
                                                   .store          = 0.0502,
                                                   .alone          = 399,
                                                   .wave           = 0,
                                                   .around         = 6310,
                                                   .element        = 0,
                                                   .waves          = 26.1,
                                                   .both           = 1,
                                                   .bytes_of_cycle = 12.5},
                                    .load       = 18.3,
                                    .waits      = 3.26,
                                    .to_add     = 6250,
                                    .lds        = 163840,
                                    .workgroups = {1, 2, 3, 4}};

} // namespace ck::tensor_operation::device::machine::gfx950
