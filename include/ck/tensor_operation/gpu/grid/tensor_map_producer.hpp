#pragma once
// What the copying thread of GridwiseTensorMapConv does: it starts the copies of the slices of A
// and B, tile after tile, as the ring has room for them.
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/grid/copy_ring.hpp"
#include "ck/tensor_operation/gpu/grid/tensor_map_work.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of the tuning.
template <class Kernel, GemmTuning tuning>
struct TensorMapProducer
{
    using Params        = typename Kernel::Params;
    using SharedStorage = typename Kernel::SharedStorage;
    using Gemm          = typename Kernel::Gemm;
    using Work          = TensorMapWork<Kernel, tuning>;
    using Transform     = decltype(Params::transform);

    /// What the copying thread does.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        RingSlot slot;
        bool waited     = false;
        const auto next = [&](index_t bytes, const auto& start) {
            arch::TransactionBarrier& full = shared.full[slot.number];
            arch::wait(shared.empty[slot.number], slot.parity ^ 1);
            if(!waited)
            {
                if constexpr(fetches)
                    start(shared.slice[slot.number], full, to_l2);
                arch::wait_for_previous_kernel();
                waited = true;
            }
            arch::arrive_expecting(full, bytes);
            start(shared.slice[slot.number], full, to_lds);
            slot.advance(tuning.stages);
            if constexpr(Kernel::fills_zeros)
                shared.started.advance();
        };
        Work work;
        index_t kept = 0; // slices of B whose copies have been started
        for(index_t number = Work::first_number(); work.find(p, number);)
            if constexpr(by_pixels)
                copy_pixels(p, work, next);
            else
                copy_taps(p, shared, work, kept, next);
        if(!waited) // all blocks do, so that the kernels before this one have ended when it ends
            arch::wait_for_previous_kernel();
        if constexpr(Kernel::fills_zeros)
            shared.started.advance(1 << 30); // no more will come
    }

private:
    /// Where boxes are brought: to LDS, or only nearer.
    struct ToLds
    {};
    struct ToL2
    {};
    static constexpr ToLds to_lds{};
    static constexpr ToL2 to_l2{};

    static constexpr block::BlockShape shape = Kernel::shape;
    static constexpr bool by_pixels          = Kernel::by_pixels;
    static constexpr index_t line = Kernel::line, a_lines = Kernel::a_lines,
                             b_lines = Kernel::b_lines;
    static constexpr index_t a_boxes = Kernel::a_boxes, b_boxes = Kernel::b_boxes;
    static constexpr index_t b_sharers   = Kernel::b_sharers;
    static constexpr index_t most_phases = Kernel::most_phases, input_bytes = Kernel::input_bytes;

    /// Whether the first slice is brought to the L2 cache while the kernel before still runs. H200,
    /// 1x1 with few tiles for a workgroup: 2 to 5 % less time. Backward weight takes 1 to 2 % more;
    /// beside filters that are kept, nvcc 13 spills.
    static constexpr bool fetches = !by_pixels && Kernel::kept_slices == 0;

    static constexpr index_t a_bytes     = a_boxes * a_lines * line * input_bytes;
    static constexpr index_t slice_bytes = a_bytes + b_boxes * b_lines * line * input_bytes;

    /// Forward and backward data: the channels of one tap after the other's, or those of a partial.
    ///
    /// Filters beyond the last are not copied: a line of them would take the copies 12 cycles, one
    /// that exists takes 2 to 4 (H200). What was in LDS is multiplied instead, for columns of C
    /// that do not exist.
    template <class Next>
    CK_DEVICE CK_INLINE static void copy_taps(const Params& p,
                                              [[maybe_unused]] SharedStorage& shared,
                                              const Work& work,
                                              [[maybe_unused]] index_t& kept,
                                              const Next& next)
    {
        const PixelWindows windows = a_windows(p.transform, work.tile.phase_index);
        arch::BoxPlace a[a_boxes];
        for(index_t i = 0; i < a_boxes; ++i)
        {
            a[i] = place(0, windows.pixel(work.first_row + i * a_lines));
            a[i].last += work.tile.chunk * p.chunk_batch;
        }
        const arch::TensorMap& a_map = p.a_map[most_phases == 1 ? 0 : work.tile.phase_index];
        constexpr index_t in_box     = Kernel::b_along_k ? b_lines : line; // columns
        const index_t columns        = math::max(0, p.columns - work.first_column),
                      boxes = math::min(math::integer_divide_ceil(columns, in_box), b_boxes);
        // Whether this block's box of the filters has fewer lines than others.
        const bool last_box =
            Kernel::b_along_k && columns < (first_box<b_boxes, b_sharers>() + 1) * in_box;
        const auto is_half = [&](auto whole, index_t channel) {
            return !whole.value && p.half_slices && p.reduction - channel <= shape.k / 2;
        };
        const auto bytes_of_filters = [&](auto whole, bool half) {
            const index_t lines = Kernel::b_along_k ? math::min(columns, shape.n)
                                  : half            ? boxes * (b_lines / 2)
                                                    : boxes * b_lines;
            return whole.value ? slice_bytes - a_bytes : lines * line * input_bytes;
        };
        const auto copy_filters = [&](auto whole,
                                      auto* to,
                                      arch::TransactionBarrier& full,
                                      const PixelWindows::Tap& tap,
                                      index_t channel,
                                      bool half,
                                      auto where) {
            const auto filters = [&](index_t box, index_t) {
                const index_t column = work.first_column + box * in_box;
                return arch::BoxPlace{Kernel::b_along_k ? channel : column,
                                      {tap.filter[0], tap.filter[1], tap.filter[2]},
                                      Kernel::b_along_k ? column : channel,
                                      {}};
            };
            if constexpr(whole.value)
                copy_boxes<false, b_boxes, b_lines, b_sharers>(
                    to, p.b_map, 5, full, where, filters);
            else
                copy_boxes<false, b_boxes, b_lines, b_sharers>(
                    to,
                    last_box || (!Kernel::b_along_k && half) ? p.b_last : p.b_map,
                    5,
                    full,
                    where,
                    filters,
                    boxes);
        };
        // Those that are kept, up to slice `last` of the sum.
        [[maybe_unused]] const auto copy_kept = [&](auto whole, auto& to, index_t last) {
            for(; kept <= last; ++kept)
            {
                const index_t of_tap = quotient(kept, p.tap_slices),
                              first  = (kept - of_tap * p.tap_slices.value) * shape.k;
                const bool by_half   = is_half(whole, first);
                arch::arrive_expecting(shared.kept_full[kept], bytes_of_filters(whole, by_half));
                copy_filters(whole,
                             to.slice[kept].b,
                             shared.kept_full[kept],
                             windows.tap(of_tap),
                             first,
                             by_half,
                             to_lds);
            }
        };
        const auto copy_all = [&](auto whole) { // all boxes of all slices, and all of their lines
            index_t t = 0, channel = 0;
            if(work.is_partial)
            {
                t       = quotient(work.first, p.tap_slices);
                channel = (work.first - t * p.tap_slices.value) * shape.k;
            }
            CK_NOT_UNROLLED
            for(index_t s = 0; s < work.slices; ++t, channel = 0)
            {
                const auto tap = windows.tap(t);
                CK_NOT_UNROLLED
                for(; channel < p.reduction && s < work.slices; channel += shape.k, ++s)
                {
                    const bool half = is_half(whole, channel);
                    next(a_bytes + (Kernel::kept_slices > 0 ? 0 : bytes_of_filters(whole, half)),
                         [&](typename Kernel::Slice& slice,
                             arch::TransactionBarrier& full,
                             auto where) {
                             copy_boxes<true, a_boxes, a_lines, 1>(
                                 slice.a,
                                 a_map,
                                 p.window_rank,
                                 full,
                                 where,
                                 [&](index_t, index_t i) {
                                     arch::BoxPlace at = a[i];
                                     at.channel        = channel;
                                     for(int dim = 0; dim < 3; ++dim)
                                         at.offset[dim] = tap.offset[dim];
                                     return at;
                                 });
                             if constexpr(Kernel::kept_slices == 0)
                                 copy_filters(whole, slice.b, full, tap, channel, half, where);
                             else
                                 copy_kept(whole, shared.kept, work.first + s);
                         });
                }
            }
        };
        if(columns >= shape.n && !p.half_slices)
            copy_all(std::true_type{});
        else
            copy_all(std::false_type{});
    }

    /// Backward weight: dY and X, shifted by the columns' taps, of the same output pixels.
    ///
    /// What the slices have in common is computed before, and ranks and taps are told apart: the
    /// thread has the time of a slice's multiplications to start up to six copies.
    template <class Next>
    CK_DEVICE CK_INLINE static void copy_pixels(const Params& p, const Work& work, const Next& next)
    {
        const Divisor& channels               = p.transform.views.in_channels;
        const PixelWindows x                  = input_windows(p.transform.views);
        [[maybe_unused]] const PixelWindows y = a_windows(p.transform, 0);
        const index_t taps                    = x.tap_count();
        arch::BoxPlace b[b_boxes / b_sharers]; // at the first pixel
        for(index_t i = 0; i < b_boxes / b_sharers; ++i)
        {
            const index_t column = work.first_column + (first_box<b_boxes, b_sharers>() + i) * line;
            const index_t number = quotient(column, channels);
            const auto tap       = x.tap(number);
            b[i]                 = {column - number * channels.value,
                                    {},
                    number < taps ? 0 : p.batch, // beyond the last column: zeros
                                    {tap.offset[0], tap.offset[1], tap.offset[2]}};
        }
        // once: each line is read by all tiles at about the same time, then no more, and the
        // partials of the sum can stay in the cache. H200, 1x1: 2 to 5 % less time; 3 taps 2 to 3 %
        // more.
        const auto copy_slices = [&](auto once, auto rank) {
            CK_NOT_UNROLLED
            for(index_t s = 0; s < work.slices; ++s)
                next(slice_bytes,
                     [&](typename Gemm::Slice& slice, arch::TransactionBarrier& full, auto where) {
                         const index_t pixel = (work.first + s) * shape.k;
                         const auto b_pixel  = x.pixel(pixel);
                         if constexpr(Kernel::a_along_k)
                             copy_boxes<false, a_boxes, a_lines, 1, once.value>(
                                 slice.a, p.a_map[0], 5, full, where, [&](index_t box, index_t) {
                                     const index_t row = work.first_row + box * a_lines;
                                     return arch::BoxPlace{0, {row, work.first + s, 0}, 0, {}};
                                 });
                         else
                         {
                             const auto a_pixel = y.pixel(pixel);
                             copy_boxes<true, a_boxes, a_lines, 1, once.value>(
                                 slice.a,
                                 p.a_map[0],
                                 rank.value,
                                 full,
                                 where,
                                 [&](index_t box, index_t) {
                                     return place(work.first_row + box * line, a_pixel);
                                 });
                         }
                         copy_boxes<true, b_boxes, b_lines, b_sharers, once.value>(
                             slice.b, p.b_map, rank.value, full, where, [&](index_t, index_t i) {
                                 arch::BoxPlace at = b[i];
                                 for(int dim = 0; dim < 3; ++dim)
                                     at.spatial[dim] = b_pixel.spatial[dim];
                                 at.last += b_pixel.image;
                                 return at;
                             });
                     });
        };
        const auto of_rank = [&](auto rank) {
            if(taps == 1)
                copy_slices(std::true_type{}, rank);
            else
                copy_slices(std::false_type{}, rank);
        };
        if(p.window_rank == 3)
            of_rank(Number<3>{});
        else if(p.window_rank == 4)
            of_rank(Number<4>{});
        else
            of_rank(Number<5>{});
    }

    template <index_t boxes, index_t sharers>
    CK_DEVICE CK_INLINE static index_t first_box()
    {
        return sharers == 1 ? 0 : Work::rank() * (boxes / sharers);
    }
    /// Copies this block's share of `boxes` boxes: place(box, i) is of a box, the i-th of the
    /// share; of boxes from `end` on nothing. once: see arch::copy_box.
    template <bool windows,
              index_t boxes,
              index_t lines,
              index_t sharers,
              bool once = false,
              class Input,
              class Place,
              class End = std::integral_constant<index_t, boxes>>
    CK_DEVICE CK_INLINE static void copy_boxes(Input* to,
                                               const arch::TensorMap& map,
                                               index_t map_rank,
                                               arch::TransactionBarrier& full,
                                               auto where,
                                               const Place& place,
                                               End end = {})
    {
        static_assert(boxes % sharers == 0, "the blocks of a cluster share whole boxes");
        const index_t first = first_box<boxes, sharers>();
        unrolled<0, boxes / sharers>([&](auto i) {
            if(std::is_same_v<End, std::integral_constant<index_t, boxes>> || first + i < end)
            {
                if constexpr(std::is_same_v<decltype(where), ToL2>)
                    arch::fetch_box<windows>(map, map_rank, place(first + i, i));
                else
                    arch::copy_box<windows, sharers, once>(
                        to + (first + i) * lines * line, map, map_rank, place(first + i, i), full);
            }
        });
    }

    CK_DEVICE CK_INLINE static arch::BoxPlace place(index_t channel,
                                                    const PixelWindows::Pixel& pixel)
    {
        return {channel,
                {pixel.spatial[0], pixel.spatial[1], pixel.spatial[2]},
                pixel.image,
                {0, 0, 0}};
    }
};

} // namespace ck::grid
