#pragma once
// The parts of an operand's rows, computed once by the threads of a block together and kept in LDS:
// a row's digits cost several divisions, and each row serves many threads.
#include "ck/arch/memory.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/number.hpp"

namespace ck::thread {

/// What a row contributes to a place: its byte offset, and its indices in checked dimensions. A row
/// beyond the view has the offset `nowhere`, or an index that no tap brings into range (indices
/// stay below 2^30).
template <class View>
struct RowEntry
{
    static constexpr index_t indices = View::PartType::indices;
    static constexpr index_t words   = indices == 0 ? 1 : indices <= 1 ? 2 : 4;
    static_assert(indices <= 3);

    Vector<index_t, words> word;
};

template <class View>
CK_DEVICE CK_INLINE RowEntry<View> row_entry(const View& view, index_t row, index_t element_bytes)
{
    constexpr index_t far = -(index_t{1} << 30) - (index_t{1} << 30);
    const auto part       = view.template part<0>(row);
    RowEntry<View> entry{};
    const arch::offset_t offset =
        static_cast<arch::offset_t>(part.offset) * static_cast<arch::offset_t>(element_bytes);
    if constexpr(RowEntry<View>::indices == 0)
        entry.word[0] = static_cast<index_t>(part.valid ? offset : arch::nowhere);
    else
    {
        entry.word[0] = static_cast<index_t>(offset);
        unrolled<0, RowEntry<View>::indices>([&](auto i) { entry.word[1 + i] = part.index[i]; });
        if(!part.valid)
            entry.word[1] = far;
    }
    return entry;
}

/// Where, in bytes, row and tap meet; `nowhere` outside of the tensor.
template <class View>
CK_DEVICE CK_INLINE arch::offset_t place_of(const View& view,
                                            const RowEntry<View>& row,
                                            const typename View::PartType& tap,
                                            index_t element_bytes)
{
    const arch::offset_t offset =
        static_cast<arch::offset_t>(row.word[0]) +
        static_cast<arch::offset_t>(tap.offset) * static_cast<arch::offset_t>(element_bytes);
    if constexpr(RowEntry<View>::indices == 0)
        return offset;
    else
    {
        typename View::PartType part{0, {}, true};
        unrolled<0, RowEntry<View>::indices>([&](auto i) { part.index[i] = row.word[1 + i]; });
        const auto sum = combine(part, tap);
        return view.inside(sum) ? offset : arch::nowhere;
    }
}

} // namespace ck::thread
