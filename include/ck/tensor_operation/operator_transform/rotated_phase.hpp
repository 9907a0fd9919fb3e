#pragma once
// Which phase a tile has, where the tiles of all phases at one place are neighbours.
#include "ck/utility/magic_division.hpp"

namespace ck {

/// The phase of the tile `number` at a place, of `phases` phases. They have different numbers of
/// taps: which one comes first changes from place to place, so that a workgroup whose tiles are a
/// multiple of all phases apart, but not of their square, meets all of them.
CK_HOST_DEVICE CK_INLINE constexpr index_t
rotated_phase(index_t number, index_t place, const Divisor& phases)
{
    if(phases.value == 1)
        return 0;
    const index_t rotated = number + place + quotient(place, phases);
    return rotated - quotient(rotated, phases) * phases.value;
}

} // namespace ck
