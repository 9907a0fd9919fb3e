#pragma once
// Counts bank conflicts of LDS at compile time: 32 banks of 4 bytes serve 128 bytes per pass.
#include "ck/utility/host_device.hpp"
#include "ck/utility/integer.hpp"

namespace ck::warp {

/// Accesses of `bytes` each that one pass over the banks serves.
constexpr index_t in_pass(index_t bytes) { return 128 / bytes; }

/// Passes in which `count` lanes access `bytes` bytes each without conflicts.
constexpr index_t least_passes(index_t count, index_t bytes)
{
    return math::integer_divide_ceil(count, in_pass(bytes));
}

/// How often the busiest bank is accessed when `count` lanes access `bytes` each, in groups that
/// one pass over the banks serves.
template <class ByteOffset>
constexpr index_t bank_passes(index_t count, index_t bytes, ByteOffset offset)
{
    index_t passes = 0;
    for(index_t first = 0; first < count; first += in_pass(bytes))
    {
        index_t use[32]{};
        index_t seen[32]{};
        index_t worst = 0;
        for(index_t l = 0; l < in_pass(bytes) && first + l < count; ++l)
        {
            const index_t at   = offset(first + l);
            const index_t bank = at % 128 / bytes;
            bool repeated      = false;
            for(index_t other = 0; use[bank] > 0 && other < l; ++other)
                repeated = repeated || seen[other] == at;
            seen[l] = at;
            if(!repeated)
                worst = math::max(worst, ++use[bank]);
        }
        passes += worst;
    }
    return passes;
}

/// The lane that is served as number `number` when the lanes of a wave read 16 bytes each, on MFMA
/// targets with 32 banks: lanes 0-3 with 20-23, 4-7 with 16-19 and so on (ROCm documentation, LDS
/// bank conflicts; CDNA3).
CK_HOST_DEVICE constexpr index_t mfma_lane_served(index_t number)
{
    const index_t quad = number / 4, half = quad % 2;
    return number / 32 * 32 + half * 16 + (quad / 2 % 4 ^ half) * 4 + number % 4;
}
/// The inverse: when a lane is served.
CK_HOST_DEVICE constexpr index_t mfma_served_number(index_t lane)
{
    const index_t quad = lane / 4 % 8, half = quad / 4;
    return lane / 32 * 32 + (quad % 4 ^ half) * 8 + half * 4 + lane % 4;
}

/// The swizzle of a row of 8 packs: an exclusive or of a pack's place and these bits, so that
/// eight lanes that are served at a time have different banks: reading, packs of 8 neighbouring
/// rows; writing, the packs of a row, or those of every fourth row.
CK_HOST_DEVICE CK_INLINE constexpr index_t row_swizzle(index_t row)
{
    return (row ^ row / 8 % 4) % 8;
}

} // namespace ck::warp
