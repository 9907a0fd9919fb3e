#pragma once
// AMD gfx942; every device with MFMA takes these numbers. Fitted to predictions of the emulator's
// timing model, not to times of a GPU: docs/notes/amd_predicted_times.md. Clock cycles, unless a
// line says otherwise.
//
// script/machines writes this header of gfx942.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::gfx942 {

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

/// Several waves share a reduction: 6 problems of one pixel in two directions by 10 tunings, from
/// which it differs by 15 %.
inline constexpr IntraBlockSplitKTimes intra_block_split_k{
    .start = 1840, .load = 6, .sector = 0, .line = 3, .wait = 570, .sums = 6000, .line_bytes = 64};

/// L1 and L2.
namespace cache {
inline constexpr double line = 128; ///< bytes
} // namespace cache

/// MFMA of elements of two bytes, slices through registers. The timing model as of 2026-11-28,
/// forward: 117 predictions for 13 problems by 9 rows, from which it differs by 9 %, at most by 33.
inline constexpr MfmaTimes mfma{.products       = 256,
                                .working        = 277,
                                .matrix         = 1.03,
                                .alone          = 477,
                                .line           = 1.51,
                                .byte           = 0,
                                .wave           = 0.735,
                                .at_a_time      = 8,
                                .around         = 2620,
                                .element        = 0.071,
                                .both           = 0.076,
                                .bytes_of_cycle = 6.95,
                                .of_cache       = 9530,
                                .tables         = 0.15};

} // namespace ck::tensor_operation::device::machine::gfx942
