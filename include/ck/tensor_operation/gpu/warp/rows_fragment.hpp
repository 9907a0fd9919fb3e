#pragma once
// The registers of wgmma's first operand, elements of two bytes, from lines of LDS that lie along
// the reduction: read once for several multiplications.
#include "ck/arch/words.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::warp {

/// 16 rows and 16 reduction elements: lane l has, two in a word, elements 2 * (l % 4) and the next
/// of row l / 4 in word 0, 8 rows further in word 1, 8 elements further in 2, both in 3. In LDS
/// each row is a line of 128 bytes, packs of 16 in the order that wgmma reads: pack p of line r is
/// at p ^ r % 8.
struct FragmentOfRows
{
    static constexpr index_t words = 4, line = 64, pack = 8; ///< elements of two bytes

    /// Where a lane's first word lies, in elements from the warp's first line on, which is aligned
    /// to eight.
    CK_HOST_DEVICE static constexpr index_t lane_offset(index_t lane)
    {
        const index_t row = lane / 4;
        return row * line + row * pack + lane % 4 * 2;
    }
    /// The offset of word `w` of the `step`-th 16 elements. No two lanes have different words in
    /// one bank.
    CK_HOST_DEVICE static constexpr index_t
    word_offset(index_t lane_offset, index_t step, index_t w)
    {
        return (lane_offset ^ (2 * step + w / 2) * pack) + w % 2 * 8 * line;
    }
    /// What a lane reads of the `step`-th 16 elements.
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
