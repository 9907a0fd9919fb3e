#pragma once
// The phase of a tile, when tiles of all phases at one place have consecutive numbers.
#include "ck/utility/magic_division.hpp"

namespace ck {

/// The phase of tile `number` at a place with `phases` phases. Phases differ in their number of
/// taps. The order rotates from place to place, so a workgroup whose tiles are a multiple of
/// `phases` apart (but not of its square) gets all phases in turn.
CK_HOST_DEVICE CK_INLINE constexpr index_t
rotated_phase(index_t number, index_t place, const Divisor& phases)
{
    if(phases.value == 1)
        return 0;
    const index_t rotated = number + place + quotient(place, phases);
    return rotated - quotient(rotated, phases) * phases.value;
}

} // namespace ck
