#pragma once
// Group slabs: how kernels of Hopper cut the channels of many small groups. A line is 64 channels
// of a pixel, whole groups, 128 bytes as tensor maps copy them. A slab is the part of a line that
// one matrix multiplication stays in: a whole number of groups, which zeros in place of weights
// keep apart.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

namespace ck::grid {

struct SlabLine
{
    static constexpr index_t channels = 64, bytes = 128;
    static constexpr index_t pack = 8; ///< channels of 16 bytes

    /// Where a tensor map puts the pack that, unswizzled, was `at` bytes from the lines' begin.
    /// Exclusive or with 16 * i: the pack i after it, of those from a line's first on.
    CK_HOST_DEVICE static constexpr index_t swizzled(index_t at) { return at ^ (at >> 3 & 0x70); }
};

} // namespace ck::grid
