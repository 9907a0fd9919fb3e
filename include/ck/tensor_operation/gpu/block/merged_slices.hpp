#pragma once
// Slices of a reduction whose elements are looked up one by one: views [row, reduction]. The
// threads of a block together compute the entries of the next slices and keep them in LDS.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_description/descriptor.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"
#include "ck/utility/number.hpp"

namespace ck::block {

/// The entries of a block's next slices for the views of A and B.
///
/// B's entries are positions in memory. If B's rows are channels of a few taps, they are instead
/// the positions of the reduction's elements at each of the block's taps: a position is in bounds
/// for all channels of a tap or for none.
template <class ViewA, class ViewB, index_t elements_>
struct ReductionTable
{
    static constexpr index_t elements  = elements_;
    static constexpr index_t most_taps = thread::PlaceEntry<ViewB>::words;

    alignas(16) thread::PlaceEntry<ViewA> a[elements];
    union
    {
        thread::PlaceEntry<ViewB> b[elements];
        alignas(16) arch::offset_t of_tap[most_taps][elements];
    };
    thread::PlaceEntry<ViewB> tap[most_taps]; // the first channels of the block's taps
};

/// Whether the rows of a view are consecutive channels of taps: only the fastest digit of a row is
/// not bounds-checked.
template <class View>
constexpr bool has_taps_of_channels()
{
    constexpr Structure s      = View::structure;
    constexpr index_t channels = s.leaf_count(0) - 1;
    return thread::PlaceEntry<View>::indices > 0 && channels > 0 && s.bounded_of(0) < 0 &&
           !s.checked(s.bottom_of(channels));
}

/// ViewA, ViewB: descriptors. The slices are the block's part of a reduction that may be split over
/// the grid. by_taps: whether B's positions may be found by taps; then each thread copies one row
/// of B.
template <class ViewA, class ViewB, index_t slice_k, index_t threads, bool by_taps>
class MergedSlices
{
public:
    /// Slices in the table. More than a pipeline has in flight, because it is refilled after a
    /// barrier that every thread passes after its last read of the old entries.
    static constexpr index_t held = math::max(8, threads / slice_k);

    using Table = ReductionTable<ViewA, ViewB, held * slice_k>;

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

    /// The block's rows of B are [first, first + rows); the thread copies row `own`. Call it before
    /// the first slice, if by_taps.
    CK_DEVICE CK_INLINE void set_rows(index_t first, index_t rows, index_t own)
    {
        static_assert(by_taps && has_taps_of_channels<ViewB>());
        constexpr index_t fastest = ViewB::structure.leaf_count(0) - 1;
        const Divisor& channels   = b_.leaf_length[fastest];
        const index_t first_tap   = quotient(first, channels);
        const index_t own_tap     = quotient(own, channels);
        taps_                     = quotient(first + rows - 1, channels) - first_tap + 1;
        if(thread_ < math::min(taps_, Table::most_taps))
            table_.tap[thread_] = thread::place_entry<ViewB>(
                b_.template part<0>((first_tap + thread_) * channels.value), b_bytes_);
        arch::block_sync();
        if(finds_by_taps()) // any tap for rows beyond the block's: nobody stores their sums
            own_places_ = table_.of_tap[math::min(own_tap - first_tap, taps_ - 1)];
        own_offset_ = static_cast<arch::offset_t>(own - own_tap * channels.value) *
                      static_cast<arch::offset_t>(b_.leaf_stride[fastest] * b_bytes_);
    }

    /// Number of slices, at least 1 as in SlicesByTap::count(): elements of an empty part do not
    /// exist.
    CK_DEVICE CK_INLINE index_t count() const { return math::max(1, count_); }

    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void advance(CopyA& a, CopyB& b)
    {
        if(in_table_ == Table::elements)
            fill();
        look_up(a, b);
    }

    /// Begins a run: the slices whose entries are in the table. Returns their number; some may be
    /// after the block's last slice.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE index_t begin_run(CopyA&, CopyB&)
    {
        fill();
        return held;
    }
    /// Begins a run of slices that contain no elements.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void begin_nothing(CopyA&, CopyB&)
    {
        next_ = a_.template extent<1>();
        fill();
    }
    /// Slices of a run are looked up in the table, so the table must not be rewritten for the next
    /// run before every thread has done so.
    static constexpr bool looks_up = true;

    /// Calls f(), which fetches or copies the run's next slice.
    template <class CopyA, class CopyB, class F>
    CK_DEVICE CK_INLINE void next_of_run(CopyA& a, CopyB& b, F&& f)
    {
        look_up(a, b);
        CK_INLINE_CALLS f();
    }

private:
    /// Moves the copies to the next slice, whose entries are in the table.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void look_up(CopyA& a, CopyB& b)
    {
        const index_t first = in_table_;
        in_table_ += slice_k;
        // Each branch reads A's and B's entries, so that the LDS reads are in flight together.
        if(finds_by_taps()) [[likely]]
        {
            a.select_slice(table_.a + first);
            if constexpr(by_taps)
                b.select_slice_places(own_places_ + first, own_offset_);
        }
        else
        {
            a.select_slice(table_.a + first);
            b.select_slice(table_.b + first);
        }
    }

    /// Whether the table has positions by taps; uniform across the block.
    CK_DEVICE CK_INLINE bool finds_by_taps() const
    {
        if constexpr(by_taps)
            return taps_ <= Table::most_taps;
        else
            return false;
    }

    /// Computes an element of the table. One statement per branch: nvcc 13 lost the store to b
    /// after a discarded branch that returns.
    CK_DEVICE CK_INLINE void fill(index_t i)
    {
        table_.a[i]      = thread::place_entry<ViewA>(a_.template part<1>(next_ + i), a_bytes_);
        const auto entry = thread::place_entry<ViewB>(b_.template part<1>(next_ + i), b_bytes_);
        if constexpr(by_taps)
        {
            if(finds_by_taps()) [[likely]]
            {
                table_.of_tap[0][i] = thread::place_of(b_, thread::read_entry(table_.tap), entry);
                CK_NOT_UNROLLED
                for(index_t tap = 1; tap < taps_; ++tap)
                    table_.of_tap[tap][i] =
                        thread::place_of(b_, thread::read_entry(table_.tap + tap), entry);
            }
            else
                table_.b[i] = entry;
        }
        else
            table_.b[i] = entry;
    }
    CK_DEVICE CK_INLINE void fill()
    {
        repeat_in_place<math::integer_divide_ceil(Table::elements, threads)>([&](index_t n) {
            const index_t i = thread_ + n * threads;
            if(Table::elements % threads == 0 || i < Table::elements)
                fill(i);
        });
        arch::block_sync();
        next_ += Table::elements;
        in_table_ = 0;
    }

    const ViewA& a_;
    const ViewB& b_;
    index_t a_bytes_, b_bytes_;
    Table& table_;
    index_t next_; // reduction element after those in the table
    index_t in_table_ =
        Table::elements; // begin of the next slice in the table, none of which is filled yet
    index_t count_;
    index_t thread_;
    // Where places are found by taps:
    index_t taps_                     = 0;       ///< the block's taps
    const arch::offset_t* own_places_ = nullptr; ///< in the table, those of the thread's tap
    arch::offset_t own_offset_        = 0;       ///< bytes that its channel adds to them
};

} // namespace ck::block
