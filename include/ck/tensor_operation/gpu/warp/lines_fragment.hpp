#pragma once
// Loads wgmma's first operand (tf32) to registers from LDS lines along the rows, which the
// instruction cannot read itself.
#include "ck/arch/index.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::warp {

/// 16 rows and 8 reduction elements k. Lane l has row l / 4 and k = l % 4 in value 0; value 1 is 8
/// rows further, value 2 is 4 elements further, value 3 both. In LDS each k has lines of 32 rows of
/// 4 bytes, in packs of four in wgmma's order: pack p of line k is at p ^ k % 8.
struct FragmentOfLines
{
    static constexpr index_t rows = 16, k = 8, values = 4;

    /// The lane's read number `read` of the first 16 rows and 8 elements. Lanes of rows 4 to 7
    /// begin with the further elements, so no two lanes read different elements of one bank.
    struct Element
    {
        index_t row, k;
    };
    CK_HOST_DEVICE static constexpr Element element(index_t lane, index_t read)
    {
        return {lane / 4 + read % 2 * 8, lane % 4 + (read / 2 != lane / 16 ? 4 : 0)};
    }

    /// Loads a lane's values; all 32 lanes of a warp call it. first: address of the lane's element
    /// 0. Elements 1, 2 and 3 differ only in address bits: 8 rows are two packs, and 4 lines change
    /// the order of packs.
    template <class T>
    CK_DEVICE CK_INLINE static Vector<T, values> load(const T* first)
    {
        static_assert(sizeof(T) == 4);
        const auto at    = reinterpret_cast<std::uintptr_t>(first);
        const auto other = [&](std::uintptr_t bit) {
            return at & bit ? -static_cast<index_t>(bit) / 4 : static_cast<index_t>(bit) / 4;
        };
        const index_t row = other(32), line = other(512) + other(64);
        const T read[values] = {first[0], first[row], first[line], first[line + row]};
        const bool further   = arch::thread_index() % 32 >= 16;
        Vector<T, values> r;
        for(index_t v = 0; v < values; ++v)
            r[v] = further ? read[v ^ 2] : read[v];
        return r;
    }
};

} // namespace ck::warp
