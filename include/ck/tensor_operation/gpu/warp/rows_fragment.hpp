#pragma once
// Loads wgmma's first operand (2-byte elements) to registers from LDS lines along the reduction,
// once for several multiplications.
#include "ck/arch/words.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::warp {

/// 16 rows and 16 reduction elements, two per word. Lane l has elements 2 * (l % 4) and the next of
/// row l / 4 in word 0; word 1 is 8 rows further, word 2 is 8 elements further, word 3 both. In LDS
/// each row is a line of 128 bytes, in packs of 16 bytes in wgmma's order: pack p of line r is at p
/// ^ r % 8.
struct FragmentOfRows
{
    static constexpr index_t words = 4, line = 64, pack = 8; ///< elements of two bytes

    /// Position of a lane's first word, in elements from the warp's first line, which is aligned to
    /// eight.
    CK_HOST_DEVICE static constexpr index_t lane_offset(index_t lane)
    {
        const index_t row = lane / 4;
        return row * line + row * pack + lane % 4 * 2;
    }
    /// The offset of word `w` of 16-element step `step`. No two lanes read different words of one
    /// bank.
    CK_HOST_DEVICE static constexpr index_t
    word_offset(index_t lane_offset, index_t step, index_t w)
    {
        return (lane_offset ^ (2 * step + w / 2) * pack) + w % 2 * 8 * line;
    }
    /// A lane's values for 16-element step `step`.
    template <class T>
    CK_DEVICE CK_INLINE static Vector<std::uint32_t, words>
    load(const T* first, index_t lane_offset, index_t step)
    {
        static_assert(sizeof(T) == 2);
        Vector<std::uint32_t, words> r;
        for(index_t w = 0; w < words; ++w)
            r[w] = __builtin_bit_cast(
                std::uint32_t,
                arch::read_unsplit<Vector<T, 2>>(first + word_offset(lane_offset, step, w)));
        return r;
    }
};

} // namespace ck::warp
