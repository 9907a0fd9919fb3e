#pragma once
// The slices of a reduction whose elements are looked up one by one: views [row, reduction]. The
// block keeps the entries of its next slices in LDS, computed by all its threads together.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_description/descriptor.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"
#include "ck/utility/number.hpp"

namespace ck::block {

/// What the views of A and B have for a block's next slices.
///
/// B's entries are places in memory. Where B's rows are channels of a few taps, they are instead
/// the places at which the reduction's elements meet each of the block's taps: a place is in bounds
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

/// Whether the rows of a view are channels, one after the other, of taps: the fastest digit of a
/// row alone is not checked.
template <class View>
constexpr bool has_taps_of_channels()
{
    constexpr Structure s      = View::structure;
    constexpr index_t channels = s.leaf_count(0) - 1;
    return thread::PlaceEntry<View>::indices > 0 && channels > 0 && s.bounded_of(0) < 0 &&
           !s.checked(s.bottom_of(channels));
}

/// ViewA, ViewB: descriptors. The range of slices is the block's part of a reduction that may be
/// split over the grid. by_taps: whether B's places may be found by taps; then each thread copies
/// one of B's rows.
template <class ViewA, class ViewB, index_t slice_k, index_t threads, bool by_taps>
class MergedSlices
{
public:
    /// Slices that the table holds. More than a pipeline has in flight: it is refilled after a
    /// barrier that every thread passes after its last look at the old entries.
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

    /// B's rows of the block are [first, first + rows); the thread copies row `own`. To be called
    /// before the first slice, if by_taps.
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
        if(finds_by_taps()) // of rows after the block's any, since nobody stores their sums
            own_places_ = table_.of_tap[math::min(own_tap - first_tap, taps_ - 1)];
        own_offset_ = static_cast<arch::offset_t>(own - own_tap * channels.value) *
                      static_cast<arch::offset_t>(b_.leaf_stride[fastest] * b_bytes_);
    }

    /// Returns the slices, at least 1, as SlicesByTap::count(): an empty part's elements do not
    /// exist.
    CK_DEVICE CK_INLINE index_t count() const { return math::max(1, count_); }

    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void advance(CopyA& a, CopyB& b)
    {
        if(in_table_ == Table::elements)
            fill();
        look_up(a, b);
    }

    /// Begins a run: slices whose entries the table holds. Returns how many they are; some may lie
    /// after the block's last.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE index_t begin_run(CopyA&, CopyB&)
    {
        fill();
        return held;
    }
    /// Begins a run of slices none of whose elements exist.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void begin_nothing(CopyA&, CopyB&)
    {
        next_ = a_.template extent<1>();
        fill();
    }
    /// Whether slices of a run are looked up in the table, which is then not written for the next
    /// run before every thread has done so.
    static constexpr bool looks_up = true;

    /// Calls f(), which fetches or copies the next slice of the run.
    template <class CopyA, class CopyB, class F>
    CK_DEVICE CK_INLINE void next_of_run(CopyA& a, CopyB& b, F&& f)
    {
        look_up(a, b);
        CK_INLINE_CALLS f();
    }

private:
    /// Moves the copies to the next slice, whose entries the table holds.
    template <class CopyA, class CopyB>
    CK_DEVICE CK_INLINE void look_up(CopyA& a, CopyB& b)
    {
        const index_t first = in_table_;
        in_table_ += slice_k;
        // Each branch reads A's and B's: the reads of LDS are on their way together.
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

    /// Whether the table has places by taps; the same for the whole block.
    CK_DEVICE CK_INLINE bool finds_by_taps() const
    {
        if constexpr(by_taps)
            return taps_ <= Table::most_taps;
        else
            return false;
    }

    /// Fills in an element of the table. One statement a branch: nvcc 13 lost the store to b after
    /// a branch that is not compiled and returns.
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
    index_t taps_                     = 0;       ///< of the block
    const arch::offset_t* own_places_ = nullptr; ///< in the table, those of the thread's tap
    arch::offset_t own_offset_        = 0;       ///< bytes that its channel adds to them
};

} // namespace ck::block
