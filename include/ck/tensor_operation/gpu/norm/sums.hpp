#pragma once
// Two sums per channel: over a thread's rows, then over a block's, in a fixed order.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/norm/tiling.hpp"

namespace ck::norm {

/// The sums of a block's threads, in LDS.
template <class Acc, index_t vector>
struct BlockSums
{
    /// Threads that add adjacent channels read different banks.
    static constexpr index_t pitch = block_size + 32 / vector;

    Acc value[2][vector][pitch];

    /// Adds the threads' sums and stores the block's sums: out[matrices][ranges][2][channels].
    CK_DEVICE CK_INLINE void
    store(const Tiling& t, const Place<vector>& place, const Acc (&sum)[2][vector], Acc* out)
    {
        const index_t thread = arch::thread_index();
        repeat<2>([&](index_t s) {
            repeat<vector>([&](index_t e) { value[s][e][thread] = sum[s][e]; });
        });
        arch::block_sync();
        const index_t tile = t.lanes * vector, s = thread / tile, c = thread % tile;
        const long_index_t channel = place.first_channel(t) + c;
        if(s >= 2 || channel >= t.channels)
            return;
        const index_t e         = t.vectors ? c % vector : c / t.lanes,
                      n         = t.vectors ? c / vector : c % t.lanes;
        const Acc* const column = value[s][e];
        Acc all{0};
        for(index_t row = 0; row < t.row_lanes; ++row)
            all += column[row * t.lanes + n];
        out[(place.range * 2 + s) * t.channels + channel] = all;
    }
};

} // namespace ck::norm
