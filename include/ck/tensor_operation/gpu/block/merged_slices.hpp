#pragma once
// The slices of a reduction whose elements are looked up one by one: views [row, reduction]. The
// block keeps the entries of its next slices in LDS, computed by all its threads together.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"

namespace ck::block {

/// ViewA, ViewB: descriptors. The range of slices is the block's part of a reduction that may be
/// split over the grid.
template <class ViewA, class ViewB, index_t slice_k, index_t threads>
class MergedSlices
{
public:
    /// Slices that the table holds. More than a pipeline has in flight: it is refilled behind a
    /// barrier that every thread passes after its last look at the old entries.
    static constexpr index_t held = math::max(8, threads / slice_k);

    struct Table
    {
        thread::PlaceEntry<ViewA> a[held * slice_k];
        thread::PlaceEntry<ViewB> b[held * slice_k];
    };

    /// Slices [first, first + count).
    CK_DEVICE CK_INLINE MergedSlices(const ViewA& a,
                                     const ViewB& b,
                                     index_t a_bytes,
                                     index_t b_bytes,
                                     Table& table,
                                     index_t first,
                                     index_t count,
                                     index_t thread)
        : a_(a),
          b_(b),
          a_bytes_(a_bytes),
          b_bytes_(b_bytes),
          table_(table),
          next_(first * slice_k),
          count_(count),
          thread_(thread)
    {}

    CK_DEVICE CK_INLINE index_t count() const { return count_; }

    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void advance(CopyA& a, CopyB& b)
    {
        if(in_table_ == held)
            fill();
        a.select_slice(table_.a + in_table_ * slice_k);
        b.select_slice(table_.b + in_table_ * slice_k);
        ++in_table_;
    }

private:
    CK_DEVICE CK_INLINE void fill()
    {
        for(index_t i = thread_; i < held * slice_k; i += threads)
        {
            table_.a[i] = thread::place_entry<ViewA>(a_.template part<1>(next_ + i), a_bytes_);
            table_.b[i] = thread::place_entry<ViewB>(b_.template part<1>(next_ + i), b_bytes_);
        }
        arch::block_sync();
        next_ += held * slice_k;
        in_table_ = 0;
    }

    const ViewA& a_;
    const ViewB& b_;
    index_t a_bytes_, b_bytes_;
    Table& table_;
    index_t next_;            // reduction element after those in the table
    index_t in_table_ = held; // next slice of the table; none is filled yet
    index_t count_;
    index_t thread_;
};

} // namespace ck::block
