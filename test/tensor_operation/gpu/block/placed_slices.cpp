// Slices of a reduction over taps: every thread is told where the rows of A meet a tap, and what a
// tap adds to those of B.
#include "ck/tensor_operation/gpu/block/placed_slices.hpp"

#include "ck/tensor_operation/operator_transform/backward_data.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/block/slices_of_copies.hpp"

namespace ck::block::test::placed_slices {
namespace {

using ViewA = BackwardData::Phase::A;
using ViewB = BackwardData::Phase::B;

/// A block of `rows` rows, 64 threads; slices of 8. What a slice begins at for each row, and for
/// B's first row. in_lanes: places wait in registers.
template <index_t rows, bool in_lanes>
struct AskPlacedSlices
{
    static constexpr index_t slice_k               = 8;
    static constexpr index_t block_size            = 64;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    struct Params
    {
        ViewA a;
        ViewB b;
        index_t taps;
        arch::offset_t* result; // [slice, rows + 1]
    };
    struct SharedStorage
    {
        PlaceTable<rows> table;
        index_t times[rows]; // times that an entry was told
    };

    struct Copy
    {
        static constexpr index_t rows_of_a_lane = math::integer_divide_ceil(rows, 64);

        const arch::offset_t* places = nullptr;
        arch::offset_t own[rows_of_a_lane]{};
        arch::offset_t offset = 0;
        index_t k             = 0;

        /// Another order of the table.
        CK_DEVICE CK_INLINE static constexpr index_t in_table(index_t row) { return row ^ 5; }
        CK_DEVICE CK_INLINE void select_places(const arch::offset_t* p)
        {
            places = p;
            k      = 0;
        }
        template <class F>
        CK_DEVICE CK_INLINE static void each_row_of_lane(index_t thread, F&& f)
        {
            for(index_t i = 0; i < rows_of_a_lane; ++i)
                if(const index_t r = i * 64 + (thread ^ 5); r < rows)
                    f(i, r);
        }
        CK_DEVICE CK_INLINE void select_places(const arch::offset_t (&p)[rows_of_a_lane])
        {
            for(index_t i = 0; i < rows_of_a_lane; ++i)
                own[i] = p[i];
            k = 0;
        }
        CK_DEVICE CK_INLINE void select_offset(arch::offset_t o)
        {
            offset = o;
            k      = 0;
        }
        CK_DEVICE CK_INLINE void move_k(index_t count) { k += count; }
        CK_DEVICE CK_INLINE void limit_k(index_t) {}
    };
    using Places = std::conditional_t<in_lanes, PlacesInLanes<Copy>, PlacesInTable<Copy, rows, 64>>;
    using Slices = PlacedSlices<ViewA, ViewB, Places, slice_k>;

    /// What reduction element k of a tap adds.
    template <class View>
    CK_DEVICE static arch::offset_t bytes(const View& view, index_t k)
    {
        return static_cast<arch::offset_t>(view.template part<2>(k).offset * element);
    }

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index();
        for(index_t r = thread; r < rows; r += block_size)
            shared.times[r] = 0;
        arch::block_sync();
        const Places places = [&] {
            if constexpr(in_lanes)
                return Places(thread);
            else
                return Places(shared.table, thread);
        }();
        Slices slices(p.a, p.b, element, element, 0, places, p.taps, [&](index_t, index_t r) {
            ++shared.times[r];
        });
        arch::block_sync();
        Copy a, b;
        for(index_t i = 0; i < slices.count(); ++i)
        {
            slices.advance(a, b);
            arch::offset_t* const to = p.result + i * (rows + 1);
            places.each_row([&](index_t number, index_t r) {
                const arch::offset_t place = in_lanes ? a.own[number] : a.places[Copy::in_table(r)];
                const bool told            = shared.times[r] == 1;
                to[r] = told && place < arch::nowhere ? place + bytes(p.a, a.k) : arch::nowhere;
            });
            if(thread == 0)
                to[rows] = b.offset + bytes(p.b, b.k);
            arch::block_sync();
        }
    }
};

template <index_t rows, bool in_lanes>
void check(const ConvProblem& problem)
{
    using Kernel                 = AskPlacedSlices<rows, in_lanes>;
    const auto batch             = static_cast<index_t>(problem.batch);
    const BackwardData transform = BackwardData::make(problem, batch);
    for(index_t number = 0; number < transform.phase_count(); ++number)
    {
        const auto phase     = transform.make_phase(number, batch);
        const index_t of_tap = math::integer_divide_ceil(phase.a.template extent<2>(), 8),
                      count  = phase.tap_count * of_tap;
        if(count == 0)
            continue;
        const auto got =
            run_block<Kernel>({phase.a, phase.b, phase.tap_count, nullptr}, count * (rows + 1));
        index_t wrong = 0;
        for(std::size_t i = 0; i < got.size(); ++i)
        {
            const auto at   = static_cast<index_t>(i);
            const index_t r = at % (rows + 1), tap = at / (rows + 1) / of_tap,
                          k  = at / (rows + 1) % of_tap * 8;
            const auto first = static_cast<arch::offset_t>(phase.b(0, 0, 0).offset) * element;
            wrong += got[i] != (r < rows ? bytes_of(phase.a(r, tap, k))
                                         : bytes_of(phase.b(0, tap, k)) - first);
        }
        EXPECT_EQ(wrong, 0) << "of phase " << number;
    }
}

TEST(PlacedSlices, TellWhereRowsMeetTaps)
{
    const auto problem =
        make_packed_problem<2>(1, 2, 20, 4, {3, 2}, {9, 7}, {2, 1}, {1, 2}, {2, 0}, {1, 3});
    check<32, false>(problem);
    check<64, false>(problem);
    check<128, false>(problem);
    check<96, false>(problem);
    check<32, true>(problem);
    check<96, true>(problem);
    check<128, true>(problem);
}

} // namespace
} // namespace ck::block::test::placed_slices
