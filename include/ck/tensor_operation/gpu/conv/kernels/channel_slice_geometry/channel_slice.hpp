#pragma once
// Channel slices: how kernels of Hopper cut the channels of many small groups. A line is 128 bytes
// of a pixel's channels as tensor maps copy them, whole groups. A channel slice is the part of a
// line that one matrix multiplication stays in: a whole number of groups, which zeros in place of
// weights keep apart.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

namespace ck::grid {

/// element_bytes: of a channel, 1 or 2.
template <index_t element_bytes = 2>
struct ChannelLine
{
    static constexpr index_t bytes = 128, channels = bytes / element_bytes;
    static constexpr index_t pack = 16 / element_bytes; ///< channels of 16 bytes

    /// Where a tensor map puts the pack that, unswizzled, was `at` bytes from the lines' begin.
    /// Exclusive or with 16 * i: the pack i after it, of those from a line's first on.
    CK_HOST_DEVICE static constexpr index_t swizzled(index_t at) { return at ^ (at >> 3 & 0x70); }
};

} // namespace ck::grid
