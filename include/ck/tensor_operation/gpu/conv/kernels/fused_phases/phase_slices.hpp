#pragma once
// The slices of dY that a tile of fused phases is the sum of, and which phases each one is for.
#include "ck/utility/host_device.hpp"
#include "ck/utility/integer.hpp"

namespace ck::grid {

/// Whether phase `number` has a tap at a shift where its number needs these bits.
constexpr bool phase_has_tap(index_t number, index_t needed) { return (number & needed) == needed; }

/// Phases with a tap before phase `number`.
constexpr index_t phases_before(index_t number, index_t needed)
{
    index_t count = 0;
    for(index_t i = 0; i < number; ++i)
        count += phase_has_tap(i, needed);
    return count;
}

/// The slices of a tile, in order: all channels at one shift after the other.
template <index_t channels>
struct PhaseSlices
{
    index_t shift[3]{}, channel = -channels;
    index_t needed = 0; ///< bits that the numbers of the phases with a tap have

    /// Goes to the first, then from each to the next; false if there is none.
    CK_DEVICE CK_INLINE bool next(const auto& p)
    {
        channel += channels;
        if(channel < p.reduction)
            return true;
        channel = 0;
        for(int i = 0; i < 3; ++i)
        {
            if(++shift[i] < p.grid.dimension[i].shifts)
            {
                needed = 0;
                for(int j = 0; j < 3; ++j)
                    if(shift[j] + 1 == p.grid.dimension[j].shifts)
                        needed |= p.grid.dimension[j].last_needs;
                return true;
            }
            shift[i] = 0;
        }
        return false;
    }
};

} // namespace ck::grid
