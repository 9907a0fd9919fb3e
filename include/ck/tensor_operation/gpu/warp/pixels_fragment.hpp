#pragma once
// The registers of wgmma's first operand, tf32, from lines of LDS that are pixels: filter taps that
// are neighbours multiply the same lines, each from the next one on, and share what a lane reads.
#include "ck/arch/words.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/vector.hpp"

namespace ck::warp {

/// 16 channels of 32 as rows and 8 pixels as reduction elements, the even ones first, then the odd
/// ones: lane l has the l % 4-th two neighbouring pixels, of the first row l / 4 in value 0 and 8
/// rows further in value 1, of the second the same in 2 and 3. In LDS a pixel is a line of 128
/// bytes, packs of four channels in the order that wgmma reads: pack p of line i is at p ^ i % 8.
///
/// A lane reads two neighbouring channels of a pixel at once; they are 8 rows apart. The lanes that
/// access LDS together, 16, have two neighbouring packs of every second of eight pixels: different
/// banks.
struct FragmentOfPixels
{
    static constexpr index_t channels = 32, pack = 4, values = 4;

    /// The first of a lane's two channels in a line, by the `half`-th of two warps.
    CK_HOST_DEVICE static constexpr index_t channel(index_t lane, index_t half)
    {
        const index_t pair = lane / 8; // of rows, of which a pack has two
        return pack * (2 * half + pair / 2 * 4 + pair % 2) + lane / 4 % 2 * 2;
    }

    /// Where a channel lies in a line, in elements from line 0 on.
    CK_HOST_DEVICE static constexpr index_t place(index_t line, index_t channel)
    {
        return line * channels + (channel ^ (line & 7) * pack);
    }
    /// The same place in the next line, of one in a line with an even number.
    CK_HOST_DEVICE static constexpr index_t next_line(index_t place)
    {
        return (place ^ pack) + channels;
    }

    /// What a lane reads of a pixel: the first halves of values, or the second.
    template <class T>
    CK_DEVICE CK_INLINE static Vector<T, 2> pixel(const T* lines, index_t place)
    {
        static_assert(sizeof(T) == 4);
        return arch::read_unsplit<Vector<T, 2>>(lines + place);
    }
};

} // namespace ck::warp
