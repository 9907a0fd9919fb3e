#pragma once
// Copies a slice's boxes by tensor maps. The blocks of a cluster share the copies of an operand
// that all of them multiply: each block starts a part of them.
#include "ck/arch/index.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/utility/number.hpp"

namespace ck::grid {

/// The destination of boxes: LDS, or only the L2 cache.
struct ToLds
{};
struct ToL2
{};

/// The first of `boxes` boxes that this block copies.
template <index_t boxes, index_t sharers>
CK_DEVICE CK_INLINE index_t first_box()
{
    static_assert(boxes % sharers == 0, "the blocks of a cluster share whole boxes");
    return sharers == 1 ? 0 : arch::block_index() % sharers * (boxes / sharers);
}

/// Copies this block's share of `boxes` boxes of `elements` elements; place(box, i) is the position
/// of `box`, the share's i-th. Boxes from `end` on are not copied. once: see arch::copy_box.
template <bool windows,
          index_t boxes,
          index_t elements,
          index_t sharers,
          bool once = false,
          class Input,
          class Where,
          class Place,
          class End = std::integral_constant<index_t, boxes>>
CK_DEVICE CK_INLINE void copy_boxes(Input* to,
                                    const arch::TensorMap& map,
                                    index_t map_rank,
                                    arch::TransactionBarrier& full,
                                    Where,
                                    const Place& place,
                                    End end = {})
{
    const index_t first = first_box<boxes, sharers>();
    unrolled<0, boxes / sharers>([&](auto i) {
        if(std::is_same_v<End, std::integral_constant<index_t, boxes>> || first + i < end)
        {
            if constexpr(std::is_same_v<Where, ToL2>)
                arch::fetch_box<windows>(map, map_rank, place(first + i, i));
            else
                arch::copy_box<windows, sharers, once>(
                    to + (first + i) * elements, map, map_rank, place(first + i, i), full);
        }
    });
}

} // namespace ck::grid
