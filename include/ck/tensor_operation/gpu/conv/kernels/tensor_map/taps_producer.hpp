#pragma once
// The copies of a forward or backward data tile by GridwiseTensorMapConv's producer thread: the
// channels of each tap in turn, or those of a partial sum.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/box_copies.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/box_place.hpp"

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of a tuning.
template <class Kernel>
struct TensorMapTapsProducer
{
    /// Calls next(bytes, start) for each slice of the tile `work`. resident: slices of B whose
    /// copies have been started.
    ///
    /// Filters beyond the last are not copied: a line of them would take the copies 12 cycles, one
    /// that exists takes 2 to 4 (H200). What was in LDS is multiplied instead, for columns of C
    /// that do not exist.
    template <class Next>
    CK_DEVICE CK_INLINE static void run(const auto& p,
                                        [[maybe_unused]] auto& shared,
                                        const auto& work,
                                        [[maybe_unused]] index_t& resident,
                                        const Next& next)
    {
        const PixelWindows windows = a_windows(p.transform, work.tile.phase_index);
        arch::BoxPlace a[a_boxes];
        for(index_t i = 0; i < a_boxes; ++i)
        {
            a[i] = box_of_pixels(0, windows.pixel(work.first_row + i * a_lines));
            a[i].last += work.tile.sub_batch * p.sub_batch_size;
        }
        const index_t first_channel = work.tile.group * p.a_group;
        const arch::TensorMap& a_map =
            p.a_map[Kernel::most_phases == 1 ? 0 : work.tile.phase_index];
        constexpr index_t in_box = Kernel::b_along_k ? b_lines : line; // columns
        const index_t columns    = math::max(0, p.columns - work.first_column),
                      boxes      = math::min(math::integer_divide_ceil(columns, in_box), b_boxes);
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
            return whole.value ? b_bytes : lines * line * Kernel::input_bytes;
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
                return box_of_filters<Kernel::b_along_k>(
                    column, channel, tap.filter[0], tap.filter[1], tap.filter[2] + work.tile.group);
            };
            if constexpr(whole.value)
                copy_boxes<false, b_boxes, b_box, b_sharers>(to, p.b_map, 5, full, where, filters);
            else
                copy_boxes<false, b_boxes, b_box, b_sharers>(
                    to,
                    last_box || (!Kernel::b_along_k && half) ? p.b_last : p.b_map,
                    5,
                    full,
                    where,
                    filters,
                    boxes);
        };
        // Those that are resident, up to slice `last` of the sum.
        [[maybe_unused]] const auto copy_resident = [&](auto whole, auto& to, index_t last) {
            for(; resident <= last; ++resident)
            {
                const index_t of_tap = quotient(resident, p.tap_slices),
                              first  = (resident - of_tap * p.tap_slices.value) * shape.k;
                const bool by_half   = is_half(whole, first);
                arch::arrive_expecting(shared.resident_full[resident],
                                       bytes_of_filters(whole, by_half));
                copy_filters(whole,
                             to.slice[resident].b,
                             shared.resident_full[resident],
                             windows.tap(of_tap),
                             first,
                             by_half,
                             ToLds{});
            }
        };
        const auto copy_all = [&](auto whole) { // copies all boxes of all slices, with all lines
            const index_t taps = windows.tap_count();
            index_t t = 0, channel = 0;
            if(work.is_partial && p.taps_inside)
            {
                channel = work.first / taps;
                t       = work.first - channel * taps;
                channel *= shape.k;
            }
            else if(work.is_partial)
            {
                t       = quotient(work.first, p.tap_slices);
                channel = (work.first - t * p.tap_slices.value) * shape.k;
            }
            CK_NOT_UNROLLED
            for(index_t s = 0; s < work.slices;)
            {
                const auto tap = windows.tap(t);
                CK_NOT_UNROLLED
                for(bool same_tap = true; same_tap && s < work.slices; ++s)
                {
                    const bool half = is_half(whole, channel);
                    next(a_bytes +
                             (Kernel::resident_filters > 0 ? 0 : bytes_of_filters(whole, half)),
                         [&](typename Kernel::Slice& slice,
                             arch::TransactionBarrier& full,
                             auto where) {
                             copy_boxes<true, a_boxes, a_box, 1>(
                                 slice.a,
                                 a_map,
                                 p.window_rank,
                                 full,
                                 where,
                                 [&](index_t, index_t i) {
                                     arch::BoxPlace at = a[i];
                                     at.channel        = first_channel + channel;
                                     for(int dim = 0; dim < 3; ++dim)
                                         at.offset[dim] = tap.offset[dim];
                                     if(Kernel::most_phases == 1 && p.planes_are_images)
                                     {
                                         at.last += tap.offset[2];
                                         at.offset[2] = 0;
                                     }
                                     return at;
                                 });
                             if constexpr(Kernel::resident_filters == 0)
                                 copy_filters(whole, slice.b, full, tap, channel, half, where);
                             else
                                 copy_resident(whole, shared.resident, work.first + s);
                         });
                    if(p.taps_inside)
                    {
                        same_tap = taps == 1;
                        t        = t + 1 == taps ? 0 : t + 1;
                        channel += t == 0 ? shape.k : 0;
                    }
                    else if(channel += shape.k; channel >= p.reduction)
                    {
                        same_tap = false;
                        channel  = 0;
                        ++t;
                    }
                }
            }
        };
        if(columns >= shape.n && !p.half_slices)
            copy_all(std::true_type{});
        else
            copy_all(std::false_type{});
    }

private:
    static constexpr auto shape   = Kernel::shape;
    static constexpr index_t line = Kernel::line, a_lines = Kernel::a_lines,
                             b_lines = Kernel::b_lines;
    static constexpr index_t a_boxes = Kernel::a_boxes, b_boxes = Kernel::b_boxes,
                             b_sharers = Kernel::b_sharers;
    static constexpr index_t a_box = a_lines * line, b_box = b_lines * line; ///< elements
    static constexpr index_t a_bytes = a_boxes * a_box * Kernel::input_bytes,
                             b_bytes = b_boxes * b_box * Kernel::input_bytes; ///< in a slice
};

} // namespace ck::grid
