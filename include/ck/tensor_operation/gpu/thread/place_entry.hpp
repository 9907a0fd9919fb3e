#pragma once
// What rows and reduction elements contribute to positions in an operand. A block's threads compute
// this together once and keep it in LDS: digits cost several divisions, and many threads use each
// entry.
#include "ck/arch/memory.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/number.hpp"

namespace ck::thread {

/// The contribution of one top coordinate of a view: byte offset, and indices in checked
/// dimensions, which stay below 2^30 in magnitude. A coordinate beyond its extent has the offset
/// `nowhere`, or an index so low that the sum with any others is negative.
template <class View>
struct PlaceEntry
{
    static constexpr index_t indices = View::PartType::indices;
    static constexpr index_t words   = indices == 0 ? 1 : indices == 1 ? 2 : 4;
    static_assert(indices <= 3);

    Vector<index_t, words> word;
};

template <class View>
CK_DEVICE CK_INLINE PlaceEntry<View> place_entry(const typename View::PartType& part,
                                                 index_t element_bytes)
{
    constexpr index_t far = -(index_t{1} << 30);
    const arch::offset_t offset =
        static_cast<arch::offset_t>(part.offset) * static_cast<arch::offset_t>(element_bytes);
    PlaceEntry<View> entry{};
    if constexpr(PlaceEntry<View>::indices == 0)
        entry.word[0] = static_cast<index_t>(part.valid ? offset : arch::nowhere);
    else
    {
        entry.word[0] = static_cast<index_t>(offset);
        repeat<PlaceEntry<View>::indices>([&](index_t i) { entry.word[1 + i] = part.index[i]; });
        if(!part.valid)
            entry.word[1] = far;
    }
    return entry;
}

/// Reads an entry from LDS.
template <class View>
CK_DEVICE CK_INLINE PlaceEntry<View> read_entry(const PlaceEntry<View>* at)
{
    return {arch::read_unsplit<decltype(PlaceEntry<View>::word)>(at)};
}

/// Byte offset of a row at a reduction element (or tap); `nowhere` outside the tensor.
template <class View>
CK_DEVICE CK_INLINE arch::offset_t
place_of(const View& view, const PlaceEntry<View>& row, const PlaceEntry<View>& reduction)
{
    const auto x             = static_cast<arch::offset_t>(row.word[0]),
               y             = static_cast<arch::offset_t>(reduction.word[0]);
    const arch::offset_t sum = x + y;
    if constexpr(PlaceEntry<View>::indices == 0)
        // Adding two `nowhere`s overflows. Saturation is one instruction; taps may add more.
        return sum < x ? (View::structure.tops == 2 ? ~arch::offset_t{0} : arch::nowhere) : sum;
    else
    {
        // No branches: the additions cost less.
        bool inside = true;
        unrolled<0, View::structure.dims>([&](auto dim) {
            if constexpr(View::structure.checked(dim.value))
            {
                constexpr index_t i = View::structure.checked_before(dim.value);
                inside =
                    inside & (static_cast<std::uint32_t>(row.word[1 + i] + reduction.word[1 + i]) <
                              static_cast<std::uint32_t>(view.length[dim]));
            }
        });
        return inside ? sum : arch::nowhere;
    }
}

} // namespace ck::thread
