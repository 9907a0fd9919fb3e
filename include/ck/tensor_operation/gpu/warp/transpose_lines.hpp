#pragma once
// Squares of an operand in LDS, transposed where they lie: for an instruction that reads its
// operands along the reduction only, as wgmma does tf32, after copies that brought lines along the
// rows.
#include "ck/arch/sync.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

namespace ck::warp {

/// 32 lines of 32 elements of 4 bytes, packs of four in the order that wgmma reads: pack p of line
/// l is at l * 8 + (p ^ l % 8), see LdsLayout.
struct SquareOfLines
{
    static constexpr index_t size = 32, pack = 4;

    /// By all 32 lanes of a warp: element e of line l and element l of line e change places. Each
    /// lane takes two parts of four lines by four.
    template <class T>
    CK_DEVICE CK_INLINE static void transpose(T* square, index_t lane)
    {
        static_assert(sizeof(T) == 4);
        auto* const packs = reinterpret_cast<Vector<T, pack>*>(square);
        Vector<T, pack> part[2][pack];
        unrolled<0, 2>([&](auto i) {
            unrolled<0, pack>(
                [&](auto line) { part[i][line] = packs[read_position(lane, i, line)]; });
        });
        arch::wave_sync<32>(); // all have read
        unrolled<0, 2>([&](auto i) {
            unrolled<0, pack>([&](auto line) {
                Vector<T, pack> column;
                for(index_t e = 0; e < pack; ++e)
                    column[e] = part[i][e][line];
                packs[written_position(lane, i, line)] = column;
            });
        });
    }

    /// In packs, of a line of a lane's i-th part, before and after. The eight lanes that access LDS
    /// together have eight different packs of banks.
    CK_HOST_DEVICE static constexpr index_t read_position(index_t lane, index_t i, index_t line)
    {
        return position(pack * (lane % 8) + line, packs_of(lane, i));
    }
    CK_HOST_DEVICE static constexpr index_t written_position(index_t lane, index_t i, index_t line)
    {
        return position(pack * packs_of(lane, i) + line, lane % 8);
    }

private:
    /// The part's place along the lines; its place across them is lane % 8.
    CK_HOST_DEVICE static constexpr index_t packs_of(index_t lane, index_t i)
    {
        return lane % 8 ^ (lane / 8 + 4 * i);
    }
    CK_HOST_DEVICE static constexpr index_t position(index_t line, index_t number)
    {
        return line * 8 + (number ^ line % 8);
    }
};

} // namespace ck::warp
