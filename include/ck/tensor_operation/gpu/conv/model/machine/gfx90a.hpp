#pragma once
// AMD gfx90a; gfx942 takes the same numbers where it has no file with others. Fitted to predictions
// of the emulator's timing model, not to times of a GPU: docs/notes/amd_predicted_times.md. Clock
// cycles, unless a line says otherwise.
//
// script/machines writes this header of gfx90a.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx90a {

/// MFMA, slices through registers.
inline constexpr MfmaTimes mfma{.products       = 128,
                                .working        = 240,
                                .matrix         = 0.88,
                                .alone          = 640,
                                .line           = 2.5,
                                .byte           = 0,
                                .wave           = 0.85,
                                .at_a_time      = 3,
                                .around         = 2500,
                                .element        = 0.27,
                                .both           = 0.1,
                                .bytes_of_cycle = 9.23};

/// Loads of a wave, whose places merged taps and channels look up one by one. 20 problems of 1x1,
/// from whose predictions it differs by 12 %.
namespace mfma_merged {
inline constexpr double a_works = 20;
inline constexpr double b_works = 38;
inline constexpr double waits   = 37;
inline constexpr double tables  = 7000; ///< bytes of LDS besides slices: of rows
} // namespace mfma_merged

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

/// MFMA of gfx90a and gfx942: 630 predictions, from which they differ by 12 %; from 466 others by
/// 12 %.
inline constexpr WeightTimes weight{.unit       = {.matrix         = 1.04,
                                                   .store          = 0.132,
                                                   .alone          = 692,
                                                   .wave           = 0,
                                                   .around         = 7250,
                                                   .element        = 0.0398,
                                                   .waves          = 15.3,
                                                   .both           = 0.334,
                                                   .bytes_of_cycle = 8.19},
                                    .load       = 0.384,
                                    .waits      = 37.4,
                                    .to_add     = 5210,
                                    .lds        = 65536,
                                    .workgroups = {1, 2, 3, 4}};

/// What a workgroup of backward weight keeps in LDS besides slices: tables of eight slices of the
/// reduction and of the tile's rows, and padding. Bytes; the same for WMMA.
namespace weight_tables {
inline constexpr double of_k    = 162;
inline constexpr double of_row  = 4;
inline constexpr double padding = 1000;
} // namespace weight_tables

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
