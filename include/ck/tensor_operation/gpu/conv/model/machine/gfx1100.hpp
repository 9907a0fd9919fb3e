#pragma once
// AMD gfx1100. Fitted to predictions of the emulator's timing model, not to times of a GPU:
// docs/notes/amd_predicted_times.md. Clock cycles, unless a line says otherwise. A unit is two CUs,
// which share LDS.
//
// script/machines writes this header of gfx1100.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx1100 {

/// 144 predictions, from which they differ by 12 %.
inline constexpr UnitTimes wmma{.matrix         = 0.943,
                                .store          = 0.153,
                                .alone          = 653,
                                .wave           = 0.0345,
                                .around         = 1230,
                                .element        = 0.0883,
                                .waves          = 15.2,
                                .both           = 0.56,
                                .bytes_of_cycle = 7.81};

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

/// 185 predictions, from which they differ by 11 %; from 134 others by 9 %.
inline constexpr WeightTimes weight{.unit       = {.matrix         = 0.995,
                                                   .store          = 0.110,
                                                   .alone          = 907,
                                                   .wave           = 0,
                                                   .around         = 2490,
                                                   .element        = 0.260,
                                                   .waves          = 18.6,
                                                   .both           = 0.33,
                                                   .bytes_of_cycle = 8.81},
                                    .load       = 2.33,
                                    .waits      = 2.29,
                                    .to_add     = 3460,
                                    .lds        = 131072,
                                    .workgroups = {1, 2, 4, 8}};

} // namespace ck::tensor_operation::device::machine::gfx1100
