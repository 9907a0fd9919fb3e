#pragma once
// Transposes squares of an operand in place in LDS. For wgmma with tf32 or 1-byte
// elements, which reads operands only along the reduction, after copies of lines along the
// rows.
#include "ck/arch/sync.hpp"
#include "ck/arch/transpose.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

namespace ck::warp {

/// A square: as many lines of 128 bytes as each has elements, of 4 bytes or 1, in the order that
/// wgmma reads: the 16 bytes p of line l are at l * 8 + (p ^ l % 8), see LdsLayout.
///
/// Parts of four lines by four elements change places: part (a, b), the a-th along the lines and
/// the b-th across them, with (b, a). Those with the same a ^ b only do so with each other.
///
/// by_pairs: of each eight lines the even ones come first, then the odd ones: line l % 8 as element
/// l % 2 * 4 + l % 8 / 2. of_lane: parts of a lane at a time, as many as keep its loads busy, or
/// as it has registers for: 16 for each.
template <index_t element_bytes,
          bool by_pairs    = false,
          index_t of_lane_ = element_bytes == 4 ? 2 : 8>
struct SquareOfLines
{
    static_assert(element_bytes == 4 || element_bytes == 1);
    static constexpr index_t size = 128 / element_bytes, pack = 4;
    static constexpr index_t parts   = size / pack; ///< along a side: 8 or 32
    static constexpr index_t at_once = 32 / parts;  ///< values of a ^ b that 32 lanes have
    static constexpr index_t of_lane = of_lane_;
    /// The square's work is divided into groups for several warps.
    static constexpr index_t groups = parts / (at_once * of_lane);

    /// A lane's first read and write positions, in packs.
    struct Start
    {
        index_t from, to;
    };
    CK_HOST_DEVICE static constexpr Start start(index_t lane)
    {
        return {read_position(lane, 0, 0), written_position(lane, 0, 0)};
    }

    /// Transposes one of the groups: swaps element e of line l with element l of line e. All 32
    /// lanes of a warp call it.
    template <class T>
    CK_DEVICE CK_INLINE static void transpose(T* square, const Start& start, index_t group)
    {
        static_assert(sizeof(T) == element_bytes);
        auto* const packs  = reinterpret_cast<Vector<T, pack>*>(square);
        const index_t from = start.from ^ read_position(0, group * of_lane, 0),
                      to   = start.to ^ written_position(0, group * of_lane, 0);
        Vector<T, pack> part[of_lane][pack];
        unrolled<0, of_lane>([&](auto i) {
            unrolled<0, pack>([&](auto line) {
                part[i][line] = arch::read_whole<Vector<T, pack>>(
                    packs + moved(from, read_position(0, i, 0), line * read_lines));
            });
        });
        arch::wave_sync<32>(); // all have read
        unrolled<0, of_lane>([&](auto i) {
            Vector<T, pack> columns[pack];
            arch::transpose(part[i], columns);
            unrolled<0, pack>([&](auto line) {
                arch::write_whole(packs + moved(to, written_position(0, i, 0), line),
                                  columns[line]);
            });
        });
    }

    /// Position of a line of a lane's i-th part before the swap, in packs of four elements. Lanes
    /// of one LDS pass (eight of 16 bytes or 32 of four) access different banks.
    CK_HOST_DEVICE static constexpr index_t read_position(index_t lane, index_t i, index_t line)
    {
        const index_t part = lane % parts; // part of the lines
        return position((by_pairs ? part / 2 * 8 + part % 2 : pack * part) + read_lines * line,
                        along_line(lane, i));
    }
    /// Distance between the lines that a part reads.
    static constexpr index_t read_lines = by_pairs ? 2 : 1;
    CK_HOST_DEVICE static constexpr index_t written_position(index_t lane, index_t i, index_t line)
    {
        return position(pack * along_line(lane, i) + line, lane % parts);
    }

    /// The position of a line whose part is `change` from that at `first`: positions of the first
    /// lines are sums of bits, and the others lie a line further each, the next 16 bytes of eight.
    CK_HOST_DEVICE static constexpr index_t moved(index_t first, index_t change, index_t line)
    {
        return (first ^ (change ^ line * (parts / 8))) + line * parts;
    }

private:
    /// The part's place along the lines; its place across them is lane % parts. By pairs, of the
    /// latter the lowest two bits change places: else lanes would read the same banks.
    CK_HOST_DEVICE static constexpr index_t along_line(index_t lane, index_t i)
    {
        const index_t part = lane % parts;
        return (by_pairs ? (part & ~3) + part % 2 * 2 + part / 2 % 2 : part) ^
               (lane / parts + at_once * i);
    }
    CK_HOST_DEVICE static constexpr index_t position(index_t line, index_t number)
    {
        return line * parts + (number ^ line % 8 * (parts / 8));
    }
};

} // namespace ck::warp
