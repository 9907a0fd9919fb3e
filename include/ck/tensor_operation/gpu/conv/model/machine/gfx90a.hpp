#pragma once
// AMD gfx90a; gfx942 takes the same numbers where it has no file with others. Fitted to predictions
// of the emulator's timing model, not to times of a GPU: docs/notes/amd_predicted_times.md. Clock
// cycles, unless a line says otherwise.
//
// script/machines writes this header of gfx90a.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx90a {

/// MI210, 1700 MHz, 104 units, in cycles of that clock: as in the emulator's timing model
/// (test/amd_emulator/timing/machine.cpp, which names each number's source).
inline constexpr UnitRates rates{.products         = 128,
                                 .products_8       = 128,
                                 .products_f32     = 32,
                                 .products_f64     = 32,
                                 .lds_bytes        = 65536,
                                 .lds              = 128,
                                 .l2               = 64,
                                 .l2_share         = 27.15,
                                 .read             = 7.9,
                                 .written          = 7.9,
                                 .last_level_bytes = 0,
                                 .last_level       = 7.9,
                                 .matrix_power     = 0,
                                 .vector_power     = 0};

/// Forward and backward data, f16: 468 predictions for 52 problems, from which it differs by 9 %,
/// at most by 68; from 594 others, for 66 problems, by 6 %, at most by 25.
inline constexpr UnitTimes mfma{.alone   = 96.4,
                                .wave    = 0.505,
                                .step    = 126,
                                .load    = 13.3,
                                .around  = 2950,
                                .element = 26.6,
                                .run     = 281,
                                .working = 9.31,
                                .matrix  = 0.872,
                                .lds     = 1.19,
                                .line    = 0.381,
                                .work    = 7.73,
                                .store   = 2.41,
                                .vector  = 10,
                                .both    = 0.275,
                                .shown   = 0.211,
                                .waves   = 20};

/// Backward weight, f16: 324 predictions for 17 problems, from which it differs by 9 %, at most by
/// 47; from 512 others, for 25 problems, by 10 %, at most by 55.
inline constexpr WeightTimes weight{.unit       = {.alone   = 134,
                                                   .wave    = 0.552,
                                                   .step    = 212,
                                                   .load    = 18.9,
                                                   .around  = 4640,
                                                   .element = 28,
                                                   .run     = 0,
                                                   .working = 8.32,
                                                   .matrix  = 1.08,
                                                   .lds     = 1,
                                                   .line    = 0.94,
                                                   .work    = 1.24,
                                                   .store   = 2,
                                                   .vector  = 10,
                                                   .both    = 0.341,
                                                   .shown   = 0.259,
                                                   .waves   = 20},
                                    .to_add     = 897,
                                    .added      = 7.77,
                                    .workgroups = {1, 2, 3, 4}};

/// Loads of a wave, whose places merged taps and channels look up one by one. 20 problems of 1x1,
/// from whose predictions it differs by 12 %.
namespace mfma_merged {
inline constexpr double a_works = 20;
inline constexpr double b_works = 38;
inline constexpr double waits   = 37;
} // namespace mfma_merged

/// Memory as the other kernels' models take it.
namespace memory {
inline constexpr double bytes_of_cycle = 9.23; ///< of each compute unit
} // namespace memory

/// 20 problems of f16 by 8 tunings, gfx90a and gfx942, from which it differs by 16 %.
namespace pointwise {
inline constexpr double filter   = 1.9; ///< of a block, which waits for its filters
inline constexpr double product  = 2.5; ///< of a compute unit
inline constexpr double sub_tile = 131;
inline constexpr double again    = 0.3; ///< of A, which comes from the cache
} // namespace pointwise

/// 11 problems of f16 by 7 tunings, gfx90a and gfx942, from which it differs by 11 %, at most by
/// 31.
namespace first_layer {
inline constexpr double product = 8.1; ///< what a compute unit takes for one of each of a tile,
inline constexpr double store   = 0.45;
inline constexpr double load    = 0.087;
inline constexpr double waits   = 1.76e6; ///< and for what its threads wait for
inline constexpr double filter  = 626;    ///< of a thread, before its first tile
} // namespace first_layer

/// Channels first, 1x1: 11 problems of f16 by 5 tunings, gfx90a and gfx942, from which it differs
/// by 9 %.
inline constexpr ChannelsFirstTimes channels_first{.start          = 7600,
                                                   .filters        = 2700,
                                                   .product        = 9.6,
                                                   .load           = 8,
                                                   .store          = 0,
                                                   .run            = 0,
                                                   .again          = 1.9,
                                                   .bytes_of_cycle = 10.6};

} // namespace ck::tensor_operation::device::machine::gfx90a
