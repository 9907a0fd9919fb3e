#pragma once
// Which residue class a tile has, where the tiles of all classes at one place are neighbours.
#include "ck/utility/magic_division.hpp"

namespace ck {

/// The class of the tile `number` at a place, of so many classes. They have different numbers of
/// taps: which one comes first changes from place to place, so that a workgroup whose tiles are a
/// multiple of all classes apart, but not of their square, meets all of them.
CK_HOST_DEVICE CK_INLINE constexpr index_t
rotated_class(index_t number, index_t place, const Divisor& classes)
{
    if(classes.value == 1)
        return 0;
    const index_t rotated = number + place + quotient(place, classes);
    return rotated - quotient(rotated, classes) * classes.value;
}

} // namespace ck
