#pragma once
// The registers of wgmma's first operand, tf32, from lines of LDS that lie along its rows: so the
// instruction multiplies what it cannot read itself.
#include "ck/arch/index.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::warp {

/// 16 rows and 8 reduction elements k: lane l has those of row l / 4 and l % 4 in value 0, 8 rows
/// further in value 1, 4 elements further in 2, both in 3. In LDS each k has lines of 32 rows of 4
/// bytes, packs of four in the order that wgmma reads: pack p of line k is at p ^ k % 8.
struct FragmentOfLines
{
    static constexpr index_t rows = 16, k = 8, values = 4;

    /// What a lane reads as the `read`-th, of the first 16 rows and 8 elements. Lanes of rows 4 to
    /// 7 begin with the further elements: no two lanes have different elements in one bank.
    struct Element
    {
        index_t row, k;
    };
    CK_HOST_DEVICE static constexpr Element element(index_t lane, index_t read)
    {
        return {lane / 4 + read % 2 * 8, lane % 4 + (read / 2 != lane / 16 ? 4 : 0)};
    }

    /// Loads a lane's values; all 32 lanes of a warp call it. first: where a lane's element 0 lies.
    /// Elements 1, 2 and 3 are there but for bits of the address: 8 rows are two packs; 4 lines
    /// change the packs' order.
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
