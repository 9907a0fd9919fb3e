#pragma once
// Many small groups by MFMA (Pipeline::window_slabs), forward and backward data.
#include "tables/rows.hpp"

namespace ck::tables {

/// Slabs of so many channels in lines of 32, filters of up to `taps` taps, tiles of `pixels` by so
/// many waves, whose windows have `room` pixels of X at the most; `blocks`, workgroups on a compute
/// unit.
constexpr GemmTuning window_slabs(Matrix i,
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
            .pipeline          = Pipeline::window_slabs,
            .min_blocks_per_cu = blocks,
            .reduction         = Reduction::merged,
            .window            = {.y = taps, .columns = room}};
}

} // namespace ck::tables
