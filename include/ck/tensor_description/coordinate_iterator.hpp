#pragma once
// Steps through the values of a top coordinate and gives the part of each, without divisions.
#include "ck/tensor_description/descriptor.hpp"

namespace ck {

/// Starts at 0. View: a Descriptor. `top` must not be its first top coordinate, whose parts contain
/// the origins, nor one that is bounded.
template <class View, index_t top>
class CoordinateIterator
{
    static constexpr Structure s   = View::structure;
    static constexpr index_t first = s.first_leaf(top), leaves = s.leaf_count(top);
    static_assert(top > 0 && s.bounded_of(top) < 0);

public:
    /// The part of the current value, as if it were inside the extent.
    CK_HOST_DEVICE CK_INLINE constexpr typename View::PartType part() const { return part_; }

    /// Moves to the next value.
    CK_HOST_DEVICE CK_INLINE constexpr void next(const View& view)
    {
        step<first + leaves - 1>(view, [](auto, index_t) {});
    }

    /// Also moves `other`, an iterator of a view with the same digits, so that they are counted
    /// only once.
    template <class Other, index_t other_top>
    CK_HOST_DEVICE CK_INLINE constexpr void
    next(const View& view, CoordinateIterator<Other, other_top>& other, const Other& other_view)
    {
        if constexpr(CoordinateIterator<Other, other_top>::leaves == leaves)
            step<first + leaves - 1>(view, [&](auto digit, index_t count) {
                other.template move<digit.value>(other_view, count);
            });
        else
        {
            next(view);
            other.next(other_view);
        }
    }

private:
    template <class, index_t>
    friend class CoordinateIterator;

    /// also(index of a digit, count): moves another iterator, too.
    template <index_t leaf, class Also>
    CK_HOST_DEVICE CK_INLINE constexpr void step(const View& view, const Also& also)
    {
        add<leaf>(view, 1);
        also(Number<leaf - first>{}, 1);
        if constexpr(leaf != first)
        {
            const index_t length = view.leaf_length[leaf].value;
            if(++digit_[leaf - first] == length)
            {
                digit_[leaf - first] = 0;
                add<leaf>(view, -length);
                also(Number<leaf - first>{}, -length);
                step<leaf - 1>(view, also);
            }
        }
    }

    template <index_t digit>
    CK_HOST_DEVICE CK_INLINE constexpr void move(const View& view, index_t count)
    {
        add<first + digit>(view, count);
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
