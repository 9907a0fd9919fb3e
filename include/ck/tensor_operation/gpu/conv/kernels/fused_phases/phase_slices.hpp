#pragma once
// The slices of dY that a tile of fused phases sums, and the phases that use each slice.
#include "ck/utility/host_device.hpp"
#include "ck/utility/integer.hpp"

namespace ck::grid {

/// Whether phase `number` has a tap at a shift that needs these bits in its number.
constexpr bool phase_has_tap(index_t number, index_t needed) { return (number & needed) == needed; }

/// Number of phases before phase `number` that have a tap.
constexpr index_t phases_before(index_t number, index_t needed)
{
    index_t count = 0;
    for(index_t i = 0; i < number; ++i)
        count += phase_has_tap(i, needed);
    return count;
}

/// The slices of a tile, in order: all channels at one shift, then at the next.
template <index_t channels>
struct PhaseSlices
{
    index_t shift[3]{}, channel = -channels;
    index_t needed = 0; ///< bits that the numbers of the phases with a tap have

    /// Moves to the first slice, then from each to the next; returns false after the last.
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
