#pragma once
// Group slabs: how kernels cut the channels of many small groups. A line is 64 channels of a pixel,
// whole groups, 128 bytes as tensor maps copy them. A slab is the part of a line that one matrix
// multiplication stays in: a whole number of groups, which zeros in place of weights keep apart.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

namespace ck::grid {

struct SlabLine
{
    static constexpr index_t channels = 64, bytes = 128;
    static constexpr index_t pack = 8; ///< channels of 16 bytes

    /// The byte, from the begin of lines that a tensor map has copied, of the first pack of line
    /// `number`. Exclusive or with 16 * i: of its i-th.
    CK_HOST_DEVICE static constexpr index_t first_pack(index_t number)
    {
        return number * bytes | (number & 7) << 4;
    }
};

} // namespace ck::grid
