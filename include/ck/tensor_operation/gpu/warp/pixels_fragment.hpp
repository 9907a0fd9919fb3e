#pragma once
// Loads wgmma's first operand (tf32) to registers from LDS lines that are pixels. Adjacent filter
// taps multiply the same lines, shifted by one, and share a lane's reads.
#include "ck/arch/words.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/vector.hpp"

namespace ck::warp {

/// 16 of 32 channels as rows and 8 pixels as reduction elements, the even ones first, then the odd
/// ones. Lane l has pair l % 4 of adjacent pixels: of the first pixel row l / 4 in value 0 and 8
/// rows further in value 1, of the second the same in values 2 and 3. In LDS a pixel is a line of
/// 128 bytes, in packs of four channels in wgmma's order: pack p of line i is at p ^ i % 8.
///
/// A lane reads two adjacent channels of a pixel at once; they are 8 rows apart. The 16
/// lanes of an LDS pass read two adjacent packs of every second of eight pixels: different
/// banks.
struct FragmentOfPixels
{
    static constexpr index_t channels = 32, pack = 4, values = 4;

    /// The first of a lane's two channels in a line, for warp `half` of two.
    CK_HOST_DEVICE static constexpr index_t channel(index_t lane, index_t half)
    {
        const index_t pair = lane / 8; // pair of rows; a pack has two
        return pack * (2 * half + pair / 2 * 4 + pair % 2) + lane / 4 % 2 * 2;
    }

    /// Position of a channel in a line, in elements from line 0.
    CK_HOST_DEVICE static constexpr index_t place(index_t line, index_t channel)
    {
        return line * channels + (channel ^ (line & 7) * pack);
    }
    /// The same position in the next line, for a position in a line with an even number.
    CK_HOST_DEVICE static constexpr index_t next_line(index_t place)
    {
        return (place ^ pack) + channels;
    }

    /// A lane's read of a pixel: the first or the second halves of values.
    template <class T>
    CK_DEVICE CK_INLINE static Vector<T, 2> pixel(const T* lines, index_t place)
    {
        static_assert(sizeof(T) == 4);
        return arch::read_unsplit<Vector<T, 2>>(lines + place);
    }
};

} // namespace ck::warp
