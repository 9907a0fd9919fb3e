#pragma once
// One thread's share of copying an operand's slices: global memory -> registers -> LDS.
#include "ck/arch/index.hpp"
#include "ck/arch/lanes.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/transpose.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/thread/operand_element.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::thread {

/// Shape: a block::OperandShape. View: a descriptor with coordinates [row, tap, k] or [row,
/// reduction]. For the other types see OperandElement.
///
/// By taps, offsets within a tap change by a block-uniform amount, so a fetch costs one
/// instruction per vector. With a merged reduction each element is looked up in the block's table.
/// Rows beyond the view, positions in the padding and reduction elements past the end read as
/// zero.
template <auto shape,
          auto layout,
          class View,
          class Source,
          class Element,
          class Operation,
          class ComputeAs = void>
class OperandCopy
{
    using Multiplied = OperandElement<Source, Element, Operation, ComputeAs>;
    /// Elements have the same bits in memory and in LDS.
    static constexpr bool verbatim = Multiplied::verbatim;

    using From   = OperandSource<Source>;
    using Stored = typename From::Element;
    static_assert(From::count == 1 || !is_identity<Operation>,
                  "several tensors make up an operand by an operation on as many elements");

    /// The unit of a load: words if possible, which compilers do not split. gfx90a, forward f16:
    /// halves of a load were moved as soon as they arrived, before the multiplications that the
    /// load should overlap.
    static constexpr index_t in_word = math::max(1, 4 / static_cast<index_t>(sizeof(Stored)));
    static constexpr bool by_words   = in_word > 1 && shape.vector % in_word == 0;
    using Unit                       = std::conditional_t<by_words, std::uint32_t, Stored>;
    static constexpr index_t units   = by_words ? shape.vector / in_word : shape.vector; // per load

    static constexpr index_t pieces      = shape.pieces();
    static constexpr bool along_k        = shape.piece_rows() == 1;
    static constexpr index_t loads       = shape.loads_per_piece();
    static constexpr index_t k_per_load  = along_k ? shape.vector : 1;
    static constexpr index_t source_size = static_cast<index_t>(sizeof(Stored));

    /// Channels in blocks along the reduction: a load may begin in the tensor and end in padding.
    static constexpr bool ragged = along_k && shape.vector > 1 && View::structure.tops == 3 &&
                                   View::structure.leaf_count(View::structure.tops - 1) > 1;
    static constexpr index_t no_limit     = 1 << 30;
    static constexpr index_t direct_lanes = shape.direct_lanes;
    static constexpr index_t row_step     = Number<shape.row_step()>::value;
    struct NoLimit
    {};

public:
    /// Whether a thread keeps the entries of its rows in registers: with whole lines, whose slices
    /// leave no room for them in LDS, if an entry is one word.
    static constexpr bool keeps_rows =
        shape.swizzled_rows && PlaceEntry<View>::indices == 0 && !shape.same_rows();
    /// rows: the entries of the slice's rows, in LDS.
    CK_DEVICE CK_INLINE OperandCopy(const View& view,
                                    const PlaceEntry<View>* rows,
                                    typename From::Pointer base,
                                    Operation operation,
                                    index_t thread)
        : view_(view),
          memory_(base),
          operation_(operation),
          thread_(thread),
          wave_(arch::uniform(thread / direct_lanes)),
          rows_(rows)
    {
        if constexpr(shape.same_rows())
            row_ = read_entry(rows + shape.first_row(thread, 0));
        else if constexpr(keeps_rows)
            repeat<pieces>(
                [&](index_t p) { places_[p] = read_entry(rows + shape.first_row(thread, p)); });
    }

    /// The first row of a thread's pieces, if it is the same for all.
    CK_DEVICE CK_INLINE static constexpr index_t row_of(index_t thread)
    {
        static_assert(shape.same_rows());
        return shape.first_row(thread, 0);
    }

    /// row: the entry of row_of(thread).
    CK_DEVICE CK_INLINE OperandCopy(const View& view,
                                    const PlaceEntry<View>& row,
                                    typename From::Pointer base,
                                    Operation operation,
                                    index_t thread)
        : view_(view),
          memory_(base),
          operation_(operation),
          thread_(thread),
          wave_(arch::uniform(thread / direct_lanes)),
          rows_(nullptr),
          row_(row)
    {
        static_assert(shape.same_rows());
    }

    /// entry(row): that of a row.
    template <class F>
    requires(keeps_rows&& std::is_invocable_v<F, index_t>) CK_DEVICE CK_INLINE
        OperandCopy(const View& view,
                    const F& entry,
                    typename From::Pointer base,
                    Operation operation,
                    index_t thread)
        : OperandCopy(view, base, operation, thread)
    {
        repeat<pieces>([&](index_t p) { places_[p] = entry(shape.first_row(thread, p)); });
    }

    /// The rows' entries are not needed: their places are told for each tap.
    CK_DEVICE CK_INLINE
    OperandCopy(const View& view, typename From::Pointer base, Operation operation, index_t thread)
        : view_(view),
          memory_(base),
          operation_(operation),
          thread_(thread),
          wave_(arch::uniform(thread / direct_lanes)),
          rows_(nullptr)
    {}

    /// Starts at k = 0 of a tap.
    CK_DEVICE CK_INLINE void select_tap(index_t tap)
    {
        start_at(0);
        const auto tap_entry = place_entry<View>(view_.template part<1>(tap), source_size);
        repeat<pieces>(
            [&](index_t p) { select_place(p, place_of(view_, row_entry(p), tap_entry)); });
    }

    /// The index of a row in the table that select_places() takes.
    CK_DEVICE CK_INLINE static constexpr index_t in_table(index_t row)
    {
        return shape.row_number(row, row_step);
    }
    /// Starts at k = 0 of a tap. `places`, a table in LDS, has the positions of the slice's rows.
    CK_DEVICE CK_INLINE void select_places(const arch::offset_t* places)
    {
        start_at(0);
        using Places = Vector<arch::offset_t, pieces>;
        Places of_piece;
        if constexpr(row_step > 0)
            of_piece = arch::read_unsplit<Places>(places + in_table(shape.first_row(thread_, 0)));
        else
        {
            repeat<pieces>([&](index_t p) { of_piece[p] = places[shape.first_row(thread_, p)]; });
            arch::wait_shared_reads();
        }
        repeat<pieces>([&](index_t p) { select_place(p, of_piece[p]); });
    }

    /// Rows that a wave copies, and those of them whose places a lane finds for all.
    static constexpr index_t wave_rows      = pieces * shape.rows_of_wave_piece();
    static constexpr index_t rows_of_a_lane = math::integer_divide_ceil(wave_rows, 64);
    /// Calls f(number, row) for the rows whose places the thread finds for its wave; a row is
    /// found by one thread of the block if the threads of a row are neighbours (shape.run is 0).
    template <class F>
    CK_DEVICE CK_INLINE static void each_row_of_lane(index_t thread, F&& f)
    {
        constexpr index_t of_piece = shape.rows_of_wave_piece(), threads = shape.run_pieces();
        repeat<rows_of_a_lane>([&](index_t i) {
            const index_t number = thread % 64 + i * 64;
            if(wave_rows % 64 == 0 || number < wave_rows)
                f(i,
                  shape.first_row(thread / 64 * 64 + number % of_piece * threads,
                                  number / of_piece));
        });
    }
    /// Starts at k = 0 of a tap that meets those rows at `places`. All lanes call it together.
    CK_DEVICE CK_INLINE void select_places(const arch::offset_t (&places)[rows_of_a_lane])
    {
        start_at(0);
        constexpr index_t of_piece = shape.rows_of_wave_piece(), threads = shape.run_pieces();
        arch::offset_t of_piece_row[pieces];
        repeat<pieces>([&](index_t p) {
            const index_t first = p * of_piece;
            of_piece_row[p] =
                arch::from_lane<64>(places[first / 64], first % 64 + thread_ % 64 / threads);
        });
        repeat<pieces>([&](index_t p) { select_place(p, of_piece_row[p]); });
    }

    /// Starts at k = 0 of a tap that adds `offset` bytes to the positions of all rows; for views
    /// without checked dimensions.
    CK_DEVICE CK_INLINE void select_offset(arch::offset_t offset)
    {
        static_assert(PlaceEntry<View>::indices == 0);
        start_at(arch::uniform(offset)); // clang 15 does not see that it is
        if(limited_)
        {
            limited_ = false;
            repeat<pieces>([&](index_t p) {
                select_place(p, static_cast<arch::offset_t>(row_entry(p).word[0]));
            });
        }
    }

    /// Moves on by `count` elements within the tap.
    CK_DEVICE CK_INLINE void move_k(index_t count)
    {
        block_offset_ +=
            static_cast<arch::offset_t>(view_.template part<2>(count).offset) * source_size;
    }

    /// Moves to the slice whose reduction elements have these entries. Inlined: with 16 loads per
    /// piece, clang 22 would call the lists and put the positions in scratch memory.
    CK_DEVICE CK_INLINE void select_slice(const PlaceEntry<View>* reduction)
    {
        repeat_in_place<pieces>([&](index_t p) {
            const auto row = row_entry(p);
            // Only AMD loads this way: NVIDIA's 16-byte loads need addresses that are multiples of
            // 16.
            if constexpr(arch::waits_at_once && PlaceEntry<View>::indices == 0 && k_per_load == 1)
            {
                const auto of_piece =
                    arch::read_unsplit<Vector<PlaceEntry<View>, loads>>(reduction + k_of(p, 0));
                repeat_in_place<loads>(
                    [&](index_t l) { where_[p][l] = place_of(view_, row, of_piece[l]); });
            }
            else
                repeat_in_place<loads>([&](index_t l) {
                    where_[p][l] = place_of(view_, row, read_entry(reduction + k_of(p, l)));
                });
        });
    }

    /// The same for a slice whose reduction elements have positions `places`, a table in LDS; the
    /// thread's rows add `offset` bytes.
    CK_DEVICE CK_INLINE void select_slice_places(const arch::offset_t* places,
                                                 arch::offset_t offset)
    {
        static_assert(shape.same_rows());
        repeat<pieces>([&](index_t p) {
            using Places          = Vector<arch::offset_t, loads>;
            const Places of_piece = arch::read_unsplit<Places>(places + k_of(p, 0));
            repeat<loads>([&](index_t l) { where_[p][l] = of_piece[l] + offset; });
        });
    }

    /// From now on, only the first `count` reduction elements of a slice exist.
    CK_DEVICE CK_INLINE void limit_k(index_t count)
    {
        limited_ = true;
        if constexpr(ragged)
            left_ = count;
        repeat<pieces>([&](index_t p) {
            repeat<loads>([&](index_t l) {
                if(k_of(p, l) >= count)
                    where_[p][l] = arch::nowhere;
            });
        });
    }

    /// Issues the loads of the slice.
    CK_DEVICE CK_INLINE void fetch()
    {
        repeat<pieces>([&](index_t p) {
            repeat<loads>([&](index_t l) {
                fetched_[p][l] = memory_.template load<units>(where_[p][l], block_offset_);
            });
        });
    }

    /// Keeps the loads' offsets in registers until here. gfx90a may repeat loads one after another;
    /// if one overwrites another's offset, an instruction must be in between.
    CK_DEVICE CK_INLINE void keep_offsets() const
    {
        repeat<pieces>(
            [&](index_t p) { repeat<loads>([&](index_t l) { arch::keep(where_[p][l]); }); });
    }

    /// Writes what was fetched to LDS.
    CK_DEVICE CK_INLINE void stage(Element* lds) const
    {
        repeat<pieces>([&](index_t p) {
            using Row = Vector<Element, shape.piece_k()>;
            Row row[shape.piece_rows()];
            Vector<Vector<Element, shape.vector>, loads> loaded;
            repeat<loads>([&](index_t l) {
                if constexpr(by_words && verbatim)
                    loaded[l] = __builtin_bit_cast(Vector<Element, shape.vector>, fetched_[p][l]);
                else
                    loaded[l] = converted(p, l);
                if constexpr(ragged)
                    repeat<shape.vector>([&](index_t e) {
                        if(k_of(p, l) + e >= left_)
                            loaded[l][e] = type_convert<Element>(0.f);
                    });
            });
            // As bits, not element by element: halves of registers are slow to move.
            if constexpr(along_k)
                row[0] = __builtin_bit_cast(Row, loaded);
            else
                arch::transpose<Element, shape.piece_k(), shape.piece_rows()>(loaded.value, row);
            const index_t at = lds_offset(p);
            repeat<shape.piece_rows()>([&](index_t r) {
                if constexpr(layout.swizzled_rows)
                    arch::write_whole(lds + (at ^ layout.row_swizzle(r) * layout.pack) +
                                          r * layout.planes * layout.pack,
                                      row[r]);
                else
                    arch::write_whole(lds + at + layout.position(r) * layout.pack, row[r]);
            });
        });
    }

    /// Starts copying the slice to LDS without going through registers; for elements that need no
    /// conversion, in pieces of one load each.
    CK_DEVICE CK_INLINE void copy_async(Element* lds) const
    {
        static_assert(verbatim,
                      "asynchronous copies leave elements as they are: the tensor must have the "
                      "instruction's type, and its element-wise operation must be PassThrough");
        static_assert(loads == 1);
        if constexpr(shape.direct_to_lds)
        {
            static_assert(!ragged, "loads straight to LDS are whole");
            constexpr index_t of_wave = direct_lanes * shape.vector; // elements that it copies
            repeat<pieces>([&](index_t p) {
                memory_.view.template copy_wave_async<units>(lds + (wave_ * pieces + p) * of_wave,
                                                             thread_ % direct_lanes,
                                                             where_[p][0],
                                                             block_offset_);
            });
        }
        else
            repeat<pieces>([&](index_t p) {
                index_t present = shape.vector;
                if constexpr(ragged)
                    present = math::min(present, left_ - k_of(p, 0));
                memory_.view.template copy_async<units, shape.swizzled>(
                    lds + lds_offset(p), where_[p][0], block_offset_, present * source_size);
            });
    }

private:
    /// The next slice begins `offset` bytes from the places of its loads.
    CK_DEVICE CK_INLINE void start_at(arch::offset_t offset)
    {
        block_offset_ = offset;
        if constexpr(ragged)
            left_ = no_limit;
    }

    /// Sets the position of piece p's row at the tap's k = 0.
    CK_DEVICE CK_INLINE void select_place(index_t p, arch::offset_t place)
    {
        repeat<loads>([&](index_t l) {
            where_[p][l] =
                place + static_cast<arch::offset_t>(view_.template part<2>(k_of(p, l)).offset) *
                            source_size;
        });
    }

    CK_DEVICE CK_INLINE index_t lds_offset(index_t p) const
    {
        if constexpr(layout.swizzled_rows && row_step > 0 && row_step % 32 == 0)
            return layout.element(shape.first_row(thread_, 0), shape.first_k(thread_, 0)) +
                   p * (row_step * layout.planes * layout.pack); // swizzled alike
        return layout.element(shape.first_row(thread_, p), shape.first_k(thread_, p));
    }

    CK_DEVICE CK_INLINE PlaceEntry<View> row_entry(index_t p) const
    {
        if constexpr(shape.same_rows())
            return row_;
        else if constexpr(keeps_rows)
            return places_[p];
        else
            return read_entry(rows_ + shape.first_row(thread_, p));
    }

    /// Reduction element, within a slice, of the l-th load of piece p.
    CK_DEVICE CK_INLINE index_t k_of(index_t p, index_t l) const
    {
        return shape.first_k(thread_, p) + l * k_per_load;
    }

    CK_DEVICE CK_INLINE Vector<Element, shape.vector> converted(index_t p, index_t l) const
    {
        if constexpr(verbatim && !by_words)
            return fetched_[p][l];
        using Fetched      = typename From::template Loaded<Stored, shape.vector>;
        const auto fetched = __builtin_bit_cast(Fetched, fetched_[p][l]);
        Vector<Element, shape.vector> result;
        repeat<shape.vector>([&](index_t e) {
            result[e] = Multiplied::of(operation_, fetched, e, where_[p][l] < arch::nowhere);
        });
        return result;
    }

    /// Reduction elements of the slice that exist.
    [[no_unique_address]] std::conditional_t<ragged, index_t, NoLimit> left_{};
    View view_;
    typename From::template Memory<Unit> memory_;
    [[no_unique_address]] Operation operation_;
    index_t thread_;
    index_t wave_;                       // wave of shape.direct_lanes lanes
    arch::offset_t block_offset_ = 0;    // bytes from where_ to the slice
    bool limited_                = true; // where_ is not that of a whole slice
    const PlaceEntry<View>* rows_;
    // Stored if one entry suffices: adjacent threads' entries are a whole load's rows apart in LDS,
    // and each read takes a pass. H200, backward weight of N 64, K and C 256, 56x56, 3x3, tiles of
    // 128 x 256: 0.57 ms instead of 1.12 ms.
    PlaceEntry<View> row_;
    struct NoRows
    {};
    [[no_unique_address]] std::conditional_t<keeps_rows, PlaceEntry<View>[pieces], NoRows> places_;
    arch::offset_t where_[pieces][loads];
    typename From::template Loaded<Unit, units> fetched_[pieces][loads];
};

} // namespace ck::thread
