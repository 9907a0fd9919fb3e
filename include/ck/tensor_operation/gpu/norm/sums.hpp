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

    /// The threads whose sums are added, and which channels they have: as in Tiling.
    struct Layout
    {
        index_t lanes, row_lanes;
        bool vectors;
    };

    /// Adds the threads' sums and stores the block's sums: out[2][channels], of a tile of
    /// lanes * vector channels.
    CK_DEVICE CK_INLINE void store(const Layout& t,
                                   long_index_t first_channel,
                                   long_index_t channels,
                                   const Acc (&sum)[2][vector],
                                   Acc* out)
    {
        const index_t thread = arch::thread_index(), tile = t.lanes * vector;
        repeat<2>([&](index_t s) {
            repeat<vector>([&](index_t e) { value[s][e][thread] = sum[s][e]; });
        });
        arch::block_sync();
        CK_NOT_UNROLLED
        for(index_t i = thread; i < 2 * tile; i += block_size)
        {
            const index_t s = i / tile, c = i % tile;
            const long_index_t channel = first_channel + c;
            if(channel >= channels)
                continue;
            const index_t e         = t.vectors ? c % vector : c / t.lanes,
                          n         = t.vectors ? c / vector : c % t.lanes;
            const Acc* const column = value[s][e];
            Acc all{0};
            for(index_t row = 0; row < t.row_lanes; ++row)
                all += column[row * t.lanes + n];
            out[s * channels + channel] = all;
        }
    }
    /// The same of a place: out[matrices][ranges][2][channels].
    CK_DEVICE CK_INLINE void
    store(const Tiling& t, const Place<vector>& place, const Acc (&sum)[2][vector], Acc* out)
    {
        store({t.lanes, t.row_lanes, t.vectors},
              place.first_channel(t),
              t.channels,
              sum,
              out + place.range * 2 * t.channels);
    }
};

} // namespace ck::norm
