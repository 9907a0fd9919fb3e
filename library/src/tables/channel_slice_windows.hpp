#pragma once
// Many small groups with MFMA (Pipeline::channel_slice_windows), forward and backward data.
#include "tables/rows.hpp"

namespace ck::tables {

/// Channel slices of this many channels in lines of 32, filters of up to `taps` taps, tiles of
/// `pixels` by this many waves, whose windows have at most `room` pixels of X; `blocks`: workgroups
/// on a compute unit.
constexpr GemmTuning channel_slice_windows(Matrix i,
                                           index_t channels,
                                           index_t taps,
                                           index_t pixels,
                                           index_t waves,
                                           index_t room,
                                           index_t blocks)
{
    return {.block_tile        = {pixels, 32, channels},
            .wave_m            = pixels / waves,
            .wave_n            = 32,
            .instruction       = i,
            .a_vector          = 8,
            .b_vector          = 1,
            .c_vector          = 8,
            .pipeline          = Pipeline::channel_slice_windows,
            .min_blocks_per_cu = blocks,
            .reduction         = Reduction::merged,
            .window            = {.y = taps, .columns = room}};
}

/// Tiles leave room in the 64 KiB of LDS for two workgroups if filters allow it. Not measured:
/// predicted by the timing model for gfx942, f16, N C, image, 32 groups, forward, in us: 128
/// 128, 56x56, 3x3: 53 instead of 126; 64 256, 28x28, 5x5: 36 instead of 88; 128 1024, 14x14,
/// 3x3: 56 instead of 70; others: docs/notes/grouped_and_depthwise.md. Filters with 27 or more
/// taps leave LDS only for tiles of 64 pixels, and merged groups are faster (3x3x3: 95 instead
/// of 99).
template <Matrix i>
inline constexpr auto channel_slice_window_rows = std::array{
    // groups of up to 16 channels: 3x3
    channel_slice_windows(i, 16, 9, 256, 8, 324, 2),
    // 5x5, and 3x3 with dilations
    channel_slice_windows(i, 16, 25, 256, 8, 400, 1),
    // groups of 32: 3x3
    channel_slice_windows(i, 32, 9, 128, 8, 180, 2),
};

} // namespace ck::tables
