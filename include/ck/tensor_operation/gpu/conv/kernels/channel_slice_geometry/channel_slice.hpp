#pragma once
// Channel slices: how Hopper's kernels divide the channels of many small groups. A line is 128
// bytes of a pixel's channels, as tensor maps copy them, and holds whole groups. A channel slice is
// the part of a line that one matrix instruction covers: a whole number of groups, separated by
// zero weights.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

namespace ck::grid {

/// element_bytes: bytes per channel, 1 or 2.
template <index_t element_bytes = 2>
struct ChannelLine
{
    static constexpr index_t bytes = 128, channels = bytes / element_bytes;
    static constexpr index_t pack = 16 / element_bytes; ///< channels of 16 bytes

    /// The swizzled position of the pack that is `at` bytes from the lines' begin without
    /// swizzling. The XOR with 16 * i gives pack i after it, for packs from a line's first one.
    CK_HOST_DEVICE static constexpr index_t swizzled(index_t at) { return at ^ (at >> 3 & 0x70); }
};

} // namespace ck::grid
