#pragma once
// A block's position in its reduction: the tap, and how many of its elements are left from the
// current slice on.
#include "ck/utility/integer.hpp"

namespace ck::block {

/// Goes over taps x length in slices of `slice_k`; a tap's last slice may be shorter. All values
/// are uniform across the block.
template <index_t slice_k>
struct ReductionCursor
{
    index_t length;    ///< reduction elements of one tap
    index_t tap  = -1; ///< begins before the first tap, ...
    index_t left = 0;  ///< ... which has no elements left; later those from the slice on

    /// Returns the number of whole slices in n elements, n >= 0. The quotient is unsigned, a shift;
    /// a signed one takes four instructions.
    CK_HOST_DEVICE static constexpr index_t whole_slices(index_t n)
    {
        return static_cast<index_t>(static_cast<std::uint32_t>(n) / slice_k);
    }

    CK_HOST_DEVICE static constexpr index_t slices(index_t taps, index_t length)
    {
        return taps * whole_slices(length + slice_k - 1);
    }

    /// Moves to the next slice. Calls move_k(), then select_tap(tap) if the slice begins a tap,
    /// then limit_k(elements left) if the slice is shorter.
    template <class SelectTap, class MoveK, class LimitK>
    CK_HOST_DEVICE CK_INLINE constexpr void
    advance(SelectTap&& select_tap, MoveK&& move_k, LimitK&& limit_k)
    {
        left -= slice_k;
        move_k(); // for both cases: offsets that only one branch changes are copied in the other
        if(left <= 0)
        {
            left = length;
            ++tap;
            select_tap(tap);
        }
        if(left < slice_k)
            limit_k(left);
    }

    /// The same for a run of slices that only differ by moves. Returns their number, at least 1.
    /// `left` then counts the elements after the run.
    template <class SelectTap, class LimitK>
    CK_HOST_DEVICE CK_INLINE constexpr index_t begin_run(SelectTap&& select_tap, LimitK&& limit_k)
    {
        const index_t whole = whole_slices(length), rest = length - whole * slice_k;
        if(left == 0)
        {
            ++tap;
            CK_INLINE_CALLS select_tap(tap);
            if(whole > 0)
            {
                left = rest;
                return whole;
            }
        }
        left = 0;
        CK_INLINE_CALLS limit_k(rest);
        return 1;
    }
};

/// The slices of a reduction over all taps of views [row, tap, k].
template <index_t slice_k>
struct SlicesByTap
{
    ReductionCursor<slice_k> cursor;
    index_t taps;

    CK_HOST_DEVICE CK_INLINE constexpr SlicesByTap(index_t taps_, index_t length)
        : cursor{.length = taps_ > 0 ? length : 0},
          taps(taps_)
    {}
    /// At least 1: an empty reduction is one slice without elements, so that a kernel clears its
    /// accumulators in one place.
    CK_HOST_DEVICE CK_INLINE constexpr index_t count() const
    {
        return math::max(1, ReductionCursor<slice_k>::slices(taps, cursor.length));
    }

    template <class CopyA, class CopyB>
    CK_HOST_DEVICE CK_INLINE void advance(CopyA& a, CopyB& b)
    {
        cursor.advance(
            [&](index_t tap) {
                a.select_tap(tap);
                b.select_tap(tap);
            },
            [&] {
                a.move_k(slice_k);
                b.move_k(slice_k);
            },
            [&](index_t left) {
                a.limit_k(left);
                b.limit_k(left);
            });
    }
};

} // namespace ck::block
