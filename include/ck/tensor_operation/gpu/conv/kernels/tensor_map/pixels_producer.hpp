#pragma once
// The copies of a backward weight tile by GridwiseTensorMapConv's producer thread: dY, and X
// shifted by the columns' taps, for the same output pixels.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/box_copies.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/box_place.hpp"

namespace ck::grid {

/// Kernel: GridwiseTensorMapConv of a tuning.
template <class Kernel>
struct TensorMapPixelsProducer
{
    /// Calls next(bytes, start) for each slice of the tile `work`.
    ///
    /// What the slices have in common is computed before, and ranks and taps are told apart: the
    /// thread has the time of a slice's multiplications to start up to six copies.
    template <class Next>
    CK_DEVICE CK_INLINE static void run(const auto& p, const auto& work, const Next& next)
    {
        const Divisor& channels               = p.transform.views.in_channels;
        const PixelWindows x                  = input_windows(p.transform.views);
        [[maybe_unused]] const PixelWindows y = a_windows(p.transform, 0);
        const index_t taps                    = x.tap_count();
        const index_t a_group = work.tile.group * p.a_group, b_group = work.tile.group * p.b_group;
        arch::BoxPlace b[b_boxes / b_sharers]; // boxes at the first pixel
        for(index_t i = 0; i < b_boxes / b_sharers; ++i)
        {
            const index_t column = work.first_column + (first_box<b_boxes, b_sharers>() + i) * line;
            const index_t number = quotient(column, channels);
            const auto tap       = x.tap(number);
            b[i]                 = {b_group + column - number * channels.value,
                                    {},
                    number < taps ? 0 : p.batch, // beyond the last column: zeros
                                    {tap.offset[0], tap.offset[1], tap.offset[2]}};
        }
        // once: each line is read by all tiles at about the same time, then no more, and the
        // partial sums of the sum can stay in the cache. H200, 1x1: 2 to 5 % less time; 3 taps 2 to
        // 3 % more.
        const auto copy_slices = [&](auto once, auto rank) {
            CK_NOT_UNROLLED
            for(index_t s = 0; s < work.slices; ++s)
                next(
                    slice_bytes,
                    [&](typename Kernel::Slice& slice, arch::TransactionBarrier& full, auto where) {
                        const index_t pixel = (work.first + s) * shape.k;
                        const auto b_pixel  = x.pixel(pixel);
                        if constexpr(Kernel::a_along_k)
                            copy_boxes<false, a_boxes, a_box, 1, once.value>(
                                slice.a, p.a_map[0], 5, full, where, [&](index_t box, index_t) {
                                    const index_t row = work.first_row + box * a_lines;
                                    return arch::BoxPlace{0, {row, work.first + s, 0}, 0, {}};
                                });
                        else
                        {
                            const auto a_pixel = y.pixel(pixel);
                            copy_boxes<true, a_boxes, a_box, 1, once.value>(
                                slice.a,
                                p.a_map[0],
                                rank.value,
                                full,
                                where,
                                [&](index_t box, index_t) {
                                    return box_of_pixels(a_group + work.first_row + box * line,
                                                         a_pixel);
                                });
                        }
                        copy_boxes<true, b_boxes, b_box, b_sharers, once.value>(
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

private:
    static constexpr auto shape   = Kernel::shape;
    static constexpr index_t line = Kernel::line, a_lines = Kernel::a_lines,
                             b_lines = Kernel::b_lines;
    static constexpr index_t a_boxes = Kernel::a_boxes, b_boxes = Kernel::b_boxes,
                             b_sharers = Kernel::b_sharers;
    static constexpr index_t a_box = a_lines * line, b_box = b_lines * line; ///< elements
    static constexpr index_t slice_bytes =
        (a_boxes * a_box + b_boxes * b_box) * Kernel::input_bytes;
};

} // namespace ck::grid
