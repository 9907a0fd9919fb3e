#pragma once
// The parts of a top coordinate's values one after the other, without divisions.
#include "ck/tensor_description/descriptor.hpp"

namespace ck {

/// Begins at 0. View: a Descriptor; its top coordinate `top` is not the first, whose parts carry
/// the origins, and none that is bounded.
template <class View, index_t top>
class CoordinateWalk
{
    static constexpr Structure s   = View::structure;
    static constexpr index_t first = s.first_leaf(top), leaves = s.leaf_count(top);
    static_assert(top > 0 && s.bounded_of(top) < 0);

public:
    /// What the coordinate contributes, were it inside its extent.
    CK_HOST_DEVICE CK_INLINE constexpr typename View::PartType part() const { return part_; }

    /// Goes on to the next value.
    CK_HOST_DEVICE CK_INLINE constexpr void next(const View& view)
    {
        step<first + leaves - 1>(view);
    }

private:
    template <index_t leaf>
    CK_HOST_DEVICE CK_INLINE constexpr void step(const View& view)
    {
        add<leaf>(view, 1);
        if constexpr(leaf != first)
        {
            const index_t length = view.leaf_length[leaf].value;
            if(++digit_[leaf - first] == length)
            {
                digit_[leaf - first] = 0;
                add<leaf>(view, -length);
                step<leaf - 1>(view);
            }
        }
    }

    /// Moves a digit by `count`.
    template <index_t leaf>
    CK_HOST_DEVICE CK_INLINE constexpr void add(const View& view, index_t count)
    {
        constexpr index_t dim = s.bottom_of(leaf);
        part_.offset =
            math::wrapping_sum(part_.offset, math::wrapping_product(count, view.leaf_stride[leaf]));
        if constexpr(s.checked(dim))
        {
            constexpr index_t i = s.checked_before(dim);
            part_.index[i]      = math::wrapping_sum(
                part_.index[i], math::wrapping_product(count, view.coefficient[leaf]));
        }
    }

    typename View::PartType part_{0, {}, true};
    index_t digit_[leaves]{};
};

} // namespace ck
