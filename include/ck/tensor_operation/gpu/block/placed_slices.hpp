#pragma once
// The slices of SlicesByTap, for copies that share the positions of A's rows: once per tap each
// thread computes those of one row and stores them in LDS. With SlicesByTap each thread computes
// the positions of all rows that it copies, although other threads copy these rows, too.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_description/coordinate_iterator.hpp"
#include "ck/tensor_operation/gpu/block/reduction_cursor.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"
#include "ck/utility/number.hpp"

namespace ck::block {

/// Positions of a block's rows at two taps: the one that the copies began last, and the next one;
/// [of two][row].
template <index_t rows>
struct PlaceTable
{
    alignas(32) arch::offset_t place[2 * rows];
};

/// The places of the next tap, in a PlaceTable. When a tap begins, they are written over those of
/// the previous tap: for schedules with a barrier between two slices' copies.
template <class CopyA, index_t rows, index_t threads>
class PlacesInTable
{
public:
    static constexpr index_t rows_of_thread = math::integer_divide_ceil(rows, threads);

    CK_DEVICE CK_INLINE PlacesInTable(PlaceTable<rows>& table, index_t thread)
        : table_(table),
          thread_(thread)
    {}
    /// Calls f(number, row) for the rows whose places the thread finds.
    template <class F>
    CK_DEVICE CK_INLINE void each_row(F&& f) const
    {
        repeat<rows_of_thread>([&](index_t i) {
            const index_t r = thread_ + i * threads;
            if(rows % threads == 0 || r < rows)
                f(i, r);
        });
    }
    CK_DEVICE CK_INLINE void set(index_t /*number*/, index_t row, arch::offset_t place)
    {
        table_.place[to_table_ + CopyA::in_table(row)] = place;
    }
    /// The next tap begins.
    CK_DEVICE CK_INLINE void select(CopyA& a)
    {
        a.select_places(table_.place + to_table_);
        to_table_ = rows - to_table_;
    }

private:
    PlaceTable<rows>& table_;
    index_t thread_;
    index_t to_table_ = 0; // entries before those of the tap that is selected next
};

/// The same in registers: a lane finds the places of rows that its wave copies, and gives them to
/// the lanes that copy them. It takes no LDS: slices of 128 x 128 of whole lines leave none to two
/// workgroups.
template <class CopyA>
class PlacesInLanes
{
public:
    static constexpr index_t rows_of_thread = CopyA::rows_of_a_lane;

    CK_DEVICE CK_INLINE explicit PlacesInLanes(index_t thread) : thread_(thread) {}
    template <class F>
    CK_DEVICE CK_INLINE void each_row(F&& f) const
    {
        CopyA::each_row_of_lane(thread_, f);
    }
    CK_DEVICE CK_INLINE void set(index_t number, index_t /*row*/, arch::offset_t place)
    {
        place_[number] = place;
    }
    CK_DEVICE CK_INLINE void select(CopyA& a) { a.select_places(place_); }

private:
    index_t thread_;
    arch::offset_t place_[rows_of_thread]{};
};

/// ViewA, ViewB: descriptors [row, tap, k], B's without checked dimensions. Places: where those of
/// the next tap wait, PlacesInTable or PlacesInLanes.
template <class ViewA, class ViewB, class Places, index_t slice_k>
class PlacedSlices
{
public:
    static_assert(thread::PlaceEntry<ViewB>::indices == 0);

    /// first_row: the block's first row of A. Some thread calls with_row(number, row) once for each
    /// of the block's rows, the number-th of its own. A barrier must follow if positions are in a
    /// table.
    template <class F>
    CK_DEVICE CK_INLINE PlacedSlices(const ViewA& a,
                                     const ViewB& b,
                                     index_t a_bytes,
                                     index_t b_bytes,
                                     index_t first_row,
                                     const Places& places,
                                     index_t taps,
                                     const F& with_row)
        : a_(a),
          b_(b),
          a_bytes_(a_bytes),
          b_bytes_(b_bytes),
          places_(places),
          slices_(taps, a.template extent<2>()),
          taps_(taps)
    {
        places_.each_row([&](index_t i, index_t r) {
            entry_[i] = thread::place_entry<ViewA>(a.template part<0>(first_row + r), a_bytes);
            with_row(i, r);
        });
        find_places();
    }

    CK_DEVICE CK_INLINE index_t count() const { return slices_.count(); }

    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void advance(CopyA& a, CopyB& b)
    {
        slices_.cursor.advance([&](index_t) { select_tap(a, b); },
                               [&] {
                                   a.move_k(slice_k);
                                   b.move_k(slice_k);
                               },
                               [&](index_t left) {
                                   a.limit_k(left);
                                   b.limit_k(left);
                               });
    }

    /// Begins a run: whole slices of one tap, or its last, shorter slice. Returns the number of
    /// slices.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE index_t begin_run(CopyA& a, CopyB& b)
    {
        return slices_.cursor.begin_run([&](index_t) { select_tap(a, b); },
                                        [&](index_t left) {
                                            // otherwise the comparisons of the loads would wait in
                                            // scalar registers: left is the same in all taps
                                            const index_t count = arch::opaque_uniform(left);
                                            a.limit_k(count);
                                            b.limit_k(count);
                                        });
    }
    /// Begins a run of slices that contain no elements.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void begin_nothing(CopyA& a, CopyB& b) const
    {
        a.limit_k(0);
        b.limit_k(0);
    }
    static constexpr bool looks_up = false; ///< see MergedSlices

    /// Calls f(), which fetches or copies the run's next slice.
    template <class CopyA, class CopyB, class F>
    CK_DEVICE CK_INLINE void next_of_run(CopyA& a, CopyB& b, F&& f) const
    {
        CK_INLINE_CALLS f();
        a.move_k(slice_k);
        b.move_k(slice_k);
    }

private:
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void select_tap(CopyA& a, CopyB& b)
    {
        places_.select(a);
        b.select_offset(static_cast<arch::offset_t>(b_tap_.part().offset) *
                        static_cast<arch::offset_t>(b_bytes_));
        if(--taps_ > 0)
        {
            a_tap_.next(a_, b_tap_, b_);
            find_places();
        }
    }
    /// Computes the positions for the tap that is selected next.
    CK_DEVICE CK_INLINE void find_places()
    {
        const auto tap = thread::place_entry<ViewA>(a_tap_.part(), a_bytes_);
        places_.each_row(
            [&](index_t i, index_t r) { places_.set(i, r, thread::place_of(a_, entry_[i], tap)); });
    }

    const ViewA& a_;
    const ViewB& b_;
    index_t a_bytes_, b_bytes_;
    Places places_;
    SlicesByTap<slice_k> slices_;
    thread::PlaceEntry<ViewA>
        entry_[Places::rows_of_thread];  // entries of the rows whose places the thread finds
    CoordinateIterator<ViewA, 1> a_tap_; // the tap that is selected next
    CoordinateIterator<ViewB, 1> b_tap_;
    index_t taps_; // not selected yet
};

} // namespace ck::block
