#pragma once
// The implicit-GEMM convolution kernel of Hopper: one thread starts the copies of a ring of slices
// by tensor maps, warpgroups multiply them (wgmma) and store C. Workgroups stay for several tiles,
// so that the copies of the next one are on their way while a tile is stored. Operands of tf32
// whose lines the instruction cannot read, because they lie along rows, pass through registers,
// those that are the instruction's first; the others are transposed in LDS between.
#include "ck/arch/index.hpp"
#include "ck/arch/meeting_point.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/grid/copy_ring.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/remainder.hpp"
#include "ck/tensor_operation/gpu/warp/transpose_lines.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

#include <limits>

namespace ck::grid {

/// As GridwiseConv, for Forward, BackwardData and BackwardWeight of one group.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseTensorMapConv
{
    static constexpr block::BlockShape shape = block_shape<Transform>(tuning);
    using Gemm                               = block::BlockGemm<tuning.instruction, shape>;
    using Wave                               = typename Gemm::Wave;
    using Part                               = typename Wave::Accumulator;
    /// Floats are rounded to tf32 where Types ask for that, and only there.
    using Compute =
        std::conditional_t<Gemm::instruction.a_element == arch::Element::tf32, tf32_t, void>;
    static_assert(
        multiplied_as_in_memory<Types, typename Gemm::InputA, typename Gemm::InputB, Compute>(),
        "tensor maps bring operands as they are in memory, or floats as tf32");

    static_assert(std::is_same_v<Transform, Forward> || std::is_same_v<Transform, BackwardData> ||
                  std::is_same_v<Transform, BackwardWeight>);

    static constexpr bool by_pixels = !Transform::a_along_k; ///< the reduction: backward weight

    static constexpr bool narrow = stored_narrow<Types, Part>();
    /// LDS of a wave for what it stores: little, so that the slices have the rest.
    static constexpr index_t room =
        (20 << 10) / (tuning.min_blocks_per_unit * Gemm::size / Gemm::lanes);
    using Store = StoreC<Transform, Types, Wave, shape.m, tuning.c_vector, narrow, room, true>;

    /// Parts of a sum are stored at once: few tiles follow another. H200, f16: holding takes 2 to 7
    /// % less time, the more the shorter the sums.
    static constexpr bool holds =
        holds_tiles(tuning) && narrow && !by_pixels && tuning.c_vector > 1;
    /// Accumulators of a thread, and whether they are more than it has registers for as launched.
    static constexpr index_t accumulators = shape.wave_m * shape.wave_n / Gemm::lanes;
    static constexpr bool large           = accumulators > 128;
    /// Whether the warps that multiply take registers from the others: to hold tiles, or operands.
    /// With 128 accumulators, because 168 registers are too few: nvcc 13 spills one to 28.
    static constexpr bool moves_registers =
        holds || large ||
        (Gemm::size > 4 * Gemm::lanes &&
         (accumulators == 128 || Wave::template through_registers<Gemm::a_layout, Gemm::b_layout>));
    /// Of a thread: as it is launched, if it copies and if it multiplies; multiples of eight.
    static constexpr index_t launch_registers =
        (1 << 16) / (tuning.min_blocks_per_unit * ck::block_size(tuning)) / 8 * 8;
    static constexpr index_t copying_registers = large ? 40 : by_pixels ? 72 : 56;
    static constexpr index_t multiplying_registers =
        (launch_registers * ck::block_size(tuning) -
         copying_registers * (ck::block_size(tuning) - Gemm::size)) /
        Gemm::size / 8 * 8;
    /// Passes of a tile that are stored while the next one is multiplied: as many as registers hold
    /// beside accumulators and 40 for the rest.
    static constexpr index_t held_passes =
        holds ? math::min(Store::Store::passes,
                          (multiplying_registers - 40 - accumulators) / Store::Store::runs)
              : 0;
    using Held = HeldTile<typename Store::Store, held_passes>;

    /// Whether p.parts are those of p.remainder, not of all tiles.
    static constexpr bool has_remainder = !Store::splits;

    /// Rows of C in a tile of Params::remainder: of all blocks of a cluster.
    static constexpr index_t tile_rows = shape.m * tuning.cluster_m;

    /// Whether a slice can be multiplied by half.
    static constexpr bool has_half_slices =
        !by_pixels && Gemm::a_shape.packed == Gemm::a_shape.contiguous &&
        Gemm::b_shape.packed == Gemm::b_shape.contiguous &&
        !Wave::template through_registers<Gemm::a_layout, Gemm::b_layout>;
    static constexpr index_t half_k = has_half_slices ? shape.k / 2 : shape.k;

    static constexpr index_t c_bytes     = sizeof(typename Types::C);
    static constexpr index_t input_bytes = Gemm::input_size;
    static constexpr index_t line        = 128 / input_bytes; ///< channels in a line of LDS
    /// Blocks of a cluster, to all of which each copies its share of what they have in common.
    static constexpr index_t cluster_size = tuning.cluster_m * tuning.cluster_n;
    static constexpr index_t a_sharers    = arch::has_clusters ? tuning.cluster_n : 1;
    static constexpr index_t b_sharers    = arch::has_clusters ? tuning.cluster_m : 1;
    static constexpr bool shares          = a_sharers * b_sharers > 1;

    /// Lines in a box of A and of B: rows of the tile, or elements of the reduction.
    static constexpr index_t a_lines    = by_pixels ? shape.k : shape.m / a_sharers;
    static constexpr index_t b_lines    = Transform::b_along_k ? shape.n / b_sharers : shape.k;
    static constexpr index_t a_boxes    = shape.m * shape.k / (line * a_lines);
    static constexpr index_t b_boxes    = shape.n * shape.k / (line * b_lines);
    static constexpr index_t consumers  = Gemm::size;
    static constexpr index_t block_size = ck::block_size(tuning);

    /// B in LDS.
    static constexpr bool transposes = Gemm::b_shape.packed != Gemm::b_shape.contiguous;
    /// Warps that do: all but those that multiply and the one that copies.
    static constexpr index_t transposers = (block_size - consumers) / Gemm::lanes - 1;
    /// Whether all warps that multiply have the same rows.
    static constexpr bool same_rows                = block::columns_first(shape);
    static constexpr index_t min_blocks_per_unit   = tuning.min_blocks_per_unit;
    static constexpr arch::Requirement requirement = Gemm::instruction.requirement;

    /// Residue classes of strided backward data that have maps of their own.
    static constexpr index_t most_classes = std::is_same_v<Transform, BackwardData> ? 8 : 1;

    struct Params : ConvParams<Transform, Types>
    {
        arch::TensorMap a_map[most_classes]; ///< boxes of windows, of each class
        arch::TensorMap b_map;               ///< boxes of filters, or windows of X
        arch::TensorMap b_last; ///< of the last filters, if a box has fewer; of half a slice
        index_t window_rank;    ///< of the maps of windows
        Remainder remainder;    ///< what there is to compute
        index_t blocks;         ///< of the launch
        /// Bytes from each row of C to the next; 0: not evenly spaced.
        index_t row_stride;
        /// Of each class: rows in one image, and slices of the sum.
        index_t image_rows[most_classes], slices[most_classes];
        index_t columns;    ///< of C
        index_t reduction;  ///< channels of a tap, or output pixels
        Divisor tap_slices; ///< slices of a tap
        /// The last slice of each tap has at most half of a slice's channels.
        bool half_slices;
    };

    static long_index_t grid_size(const Params& p) { return p.blocks; }

    struct SharedStorage
    {
        typename Gemm::Slice slice[tuning.stages];
        typename Store::Shared store[consumers / Gemm::lanes];
        typename Store::Rows c_rows;
        arch::TransactionBarrier full[tuning.stages], empty[tuning.stages];
        arch::TransactionBarrier transposed[transposes ? tuning.stages : 1];
        arch::MeetingPoint<consumers> multiplying; ///< of the warps that do
    };
    static_assert((sizeof(SharedStorage) + 1024) * min_blocks_per_unit <= 228 << 10,
                  "an SM has 228 KiB of shared memory, and takes 1 KiB for each block");

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start(); // what adds up the parts
        const index_t thread = arch::thread_index();
        if(thread == 0)
        {
            for(index_t slot = 0; slot < tuning.stages; ++slot)
            {
                arch::initialize(shared.full[slot], 1);
                arch::initialize(shared.empty[slot],
                                 consumers / Gemm::lanes * a_sharers * b_sharers);
                if constexpr(transposes)
                    arch::initialize(shared.transposed[slot], transposers);
            }
            if constexpr(same_rows)
                shared.multiplying.prepare();
            arch::publish_barriers();
        }
        sync();
        if(thread < consumers)
        {
            if constexpr(moves_registers)
                arch::take_registers<multiplying_registers>();
            multiply(p, shared, thread);
        }
        else
        {
            if constexpr(moves_registers)
                arch::give_up_registers<copying_registers>();
            if(thread == consumers)
                copy(p, shared);
            else if constexpr(transposes)
                if(thread >= consumers + Gemm::lanes)
                    transpose(p, shared, thread - consumers - Gemm::lanes);
        }
        if constexpr(shares)
            sync(); // the others may still copy to this block, and arrive at its barriers
    }

private:
    CK_DEVICE CK_INLINE static void sync()
    {
        if constexpr(shares)
            arch::cluster_sync();
        else
            arch::block_sync();
    }
    /// This block's number in its cluster.
    CK_DEVICE CK_INLINE static index_t rank() { return arch::block_index() % cluster_size; }

    template <index_t boxes, index_t sharers>
    CK_DEVICE CK_INLINE static index_t first_box()
    {
        return sharers == 1 ? 0 : rank() * (boxes / sharers);
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
                                               const Place& place,
                                               End end = {})
    {
        static_assert(boxes % sharers == 0, "the blocks of a cluster share whole boxes");
        const index_t first = first_box<boxes, sharers>();
        unrolled<0, boxes / sharers>([&](auto i) {
            if(std::is_same_v<End, std::integral_constant<index_t, boxes>> || first + i < end)
                arch::copy_box<windows, sharers, once>(
                    to + (first + i) * lines * line, map, map_rank, place(first + i, i), full);
        });
    }

    static constexpr index_t a_bytes     = a_boxes * a_lines * line * input_bytes;
    static constexpr index_t slice_bytes = a_bytes + b_boxes * b_lines * line * input_bytes;

    /// A tile that this block computes, and the slices of its sum.
    struct Work
    {
        TileMap::Tile tile;
        index_t first_row, first_column;
        index_t rows;          ///< of the class
        index_t first, slices; ///< of the part
        bool of_remainder;     ///< a part of a tile's sum, number tile.split

        /// False where there is nothing to do.
        CK_DEVICE CK_INLINE bool begin(const Params& p, index_t number)
        {
            const Remainder::Item item = p.remainder(number);
            tile                       = p.tiles(item.tile);
            tile.class_index           = rotated(tile, p.tiles.classes);
            of_remainder               = has_remainder && item.in_parts;
            const index_t of_all       = tile.row_tile * tile_rows;
            first_row                  = of_all + (tuning.cluster_m > 1 ? rank() * shape.m : 0);
            first_column =
                (tile.column_tile * tuning.cluster_n + (tuning.cluster_n > 1 ? rank() : 0)) *
                shape.n;
            first  = 0;
            slices = p.slices[most_classes == 1 ? 0 : tile.class_index];
            rows   = p.image_rows[most_classes == 1 ? 0 : tile.class_index] *
                   (by_pixels ? 1 : p.images(tile));
            if constexpr(!has_remainder)
                take_part(tile.split, math::integer_divide_ceil(slices, p.tiles.splits.value));
            else if(of_remainder)
            {
                tile.split = item.part;
                take_part(item.part,
                          quotient(slices + p.remainder.parts.value - 1, p.remainder.parts));
            }
            return of_all < rows;
        }

    private:
        CK_DEVICE CK_INLINE void take_part(index_t number, index_t length)
        {
            first  = number * length;
            slices = math::max(0, math::min(length, slices - first));
        }
    };

    /// Classes have different numbers of taps: this changes which class of a row comes first, so
    /// that a block whose tiles are a multiple of all classes apart meets all of them. H200,
    /// example 17's default problem: see docs/measurements.md.
    CK_DEVICE CK_INLINE static index_t rotated(const TileMap::Tile& tile, const Divisor& classes)
    {
        if constexpr(most_classes == 1)
            return tile.class_index;
        const index_t number = tile.class_index + tile.row_tile + quotient(tile.row_tile, classes);
        return number - quotient(number, classes) * classes.value;
    }

    /// The first tile of this block at or after `number` that has something to do; leaves the
    /// number of the one after it. False if there is none.
    CK_DEVICE CK_INLINE static bool find(const Params& p, index_t& number, Work& work)
    {
        while(number < p.remainder.size())
        {
            const bool found = work.begin(p, number);
            number += p.blocks / cluster_size;
            if(found)
                return true;
        }
        return false;
    }
    CK_DEVICE CK_INLINE static index_t first_tile() { return arch::block_index() / cluster_size; }

    CK_DEVICE CK_INLINE static arch::BoxPlace place(index_t channel,
                                                    const PixelWindows::Pixel& pixel)
    {
        return {channel,
                {pixel.spatial[0], pixel.spatial[1], pixel.spatial[2]},
                pixel.image,
                {0, 0, 0}};
    }

    /// What the copying thread does.
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        RingSlot slot;
        const auto next = [&](index_t bytes, const auto& start) {
            arch::TransactionBarrier& full = shared.full[slot.number];
            arch::wait(shared.empty[slot.number], slot.parity ^ 1);
            arch::arrive_expecting(full, bytes);
            start(shared.slice[slot.number], full);
            slot.advance(tuning.stages);
        };
        Work work;
        for(index_t number = first_tile(); find(p, number, work);)
            if constexpr(by_pixels)
                copy_pixels(p, work, next);
            else
                copy_taps(p, work, next);
    }

    /// Forward and backward data: the channels of one tap after the other's, or those of a part.
    ///
    /// Filters beyond the last are not copied: a line of them would take the copies 12 cycles, one
    /// that exists takes 2 to 4 (H200). What was in LDS is multiplied instead, for columns of C
    /// that do not exist.
    template <class Next>
    CK_DEVICE CK_INLINE static void copy_taps(const Params& p, const Work& work, const Next& next)
    {
        const PixelWindows windows = a_windows(p.transform, work.tile.class_index);
        arch::BoxPlace a[a_boxes / a_sharers];
        for(index_t i = 0; i < a_boxes / a_sharers; ++i)
        {
            const index_t box = first_box<a_boxes, a_sharers>() + i;
            a[i]              = place(0, windows.pixel(work.first_row + box * a_lines));
            a[i].last += work.tile.chunk * p.chunk_batch;
        }
        const arch::TensorMap& a_map = p.a_map[most_classes == 1 ? 0 : work.tile.class_index];
        constexpr index_t in_box     = Transform::b_along_k ? b_lines : line; // columns
        const index_t columns        = math::max(0, p.columns - work.first_column),
                      boxes = math::min(math::integer_divide_ceil(columns, in_box), b_boxes);
        // Whether this block's box of the filters has fewer lines than others.
        const bool last_box =
            Transform::b_along_k && columns < (first_box<b_boxes, b_sharers>() + 1) * in_box;
        const auto copy_all = [&](auto whole) { // all boxes of all slices, and all of their lines
            index_t t = 0, channel = 0;
            if(work.of_remainder)
            {
                t       = quotient(work.first, p.tap_slices);
                channel = (work.first - t * p.tap_slices.value) * shape.k;
            }
            for(index_t s = 0; s < work.slices; ++t, channel = 0)
            {
                const auto tap = windows.tap(t);
                for(; channel < p.reduction && s < work.slices; channel += shape.k, ++s)
                {
                    const bool half =
                        !whole.value && p.half_slices && p.reduction - channel <= shape.k / 2;
                    const index_t b_bytes = (Transform::b_along_k ? math::min(columns, shape.n)
                                             : half               ? boxes * (b_lines / 2)
                                                                  : boxes * b_lines) *
                                            line * input_bytes;
                    const auto filters = [&](index_t box, index_t) {
                        const index_t column = work.first_column + box * in_box;
                        return arch::BoxPlace{Transform::b_along_k ? channel : column,
                                              {tap.filter[0], tap.filter[1], tap.filter[2]},
                                              Transform::b_along_k ? column : channel,
                                              {}};
                    };
                    next(whole.value ? slice_bytes : a_bytes + b_bytes,
                         [&](typename Gemm::Slice& slice, arch::TransactionBarrier& full) {
                             copy_boxes<true, a_boxes, a_lines, a_sharers>(
                                 slice.a, a_map, p.window_rank, full, [&](index_t, index_t i) {
                                     arch::BoxPlace at = a[i];
                                     at.channel        = channel;
                                     for(int dim = 0; dim < 3; ++dim)
                                         at.offset[dim] = tap.offset[dim];
                                     return at;
                                 });
                             if constexpr(whole.value)
                                 copy_boxes<false, b_boxes, b_lines, b_sharers>(
                                     slice.b, p.b_map, 5, full, filters);
                             else
                                 copy_boxes<false, b_boxes, b_lines, b_sharers>(
                                     slice.b,
                                     last_box || (!Transform::b_along_k && half) ? p.b_last
                                                                                 : p.b_map,
                                     5,
                                     full,
                                     filters,
                                     boxes);
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
    template <class Next>
    CK_DEVICE CK_INLINE static void copy_pixels(const Params& p, const Work& work, const Next& next)
    {
        const Divisor& channels = p.transform.views.in_channels;
        const PixelWindows y = a_windows(p.transform, 0), x = input_windows(p.transform.views);
        const index_t taps = x.tap_count();
        // once: each line is read by all tiles at about the same time, then no more, and the parts
        // of the sum can stay in the cache. H200, 1x1: 2 to 5 % less time; 3 taps 2 to 3 % more.
        const auto copy_slices = [&](auto once) {
            for(index_t s = 0; s < work.slices; ++s)
                next(slice_bytes, [&](typename Gemm::Slice& slice, arch::TransactionBarrier& full) {
                    const index_t pixel = (work.first + s) * shape.k;
                    const auto a_pixel = y.pixel(pixel), b_pixel = x.pixel(pixel);
                    copy_boxes<true, a_boxes, a_lines, a_sharers, once.value>(
                        slice.a, p.a_map[0], p.window_rank, full, [&](index_t box, index_t) {
                            return place(work.first_row + box * line, a_pixel);
                        });
                    copy_boxes<true, b_boxes, b_lines, b_sharers, once.value>(
                        slice.b, p.b_map, p.window_rank, full, [&](index_t box, index_t) {
                            const index_t column = work.first_column + box * line;
                            const index_t number = quotient(column, channels);
                            arch::BoxPlace b     = place(column - number * channels.value, b_pixel);
                            const auto tap       = x.tap(number);
                            for(int i = 0; i < 3; ++i)
                                b.offset[i] = tap.offset[i];
                            if(number >= taps)
                                b.last = p.batch; // beyond the last column: zeros
                            return b;
                        });
                });
        };
        if(taps == 1)
            copy_slices(std::true_type{});
        else
            copy_slices(std::false_type{});
    }

    /// What a warp that transposes does.
    CK_DEVICE CK_INLINE static void
    transpose(const Params& p, SharedStorage& shared, index_t thread)
    {
        using Square               = warp::SquareOfLines;
        constexpr index_t elements = Square::size * Square::size;
        const index_t warp = thread / Gemm::lanes, lane = thread % Gemm::lanes;
        RingSlot slot;
        Work work;
        for(index_t number = first_tile(); find(p, number, work);)
            for(index_t s = 0; s < work.slices; ++s)
            {
                arch::wait(shared.full[slot.number], slot.parity);
                for(index_t i = warp; i < shape.n / Square::size; i += transposers)
                    Square::transpose(shared.slice[slot.number].b + i * elements, lane);
                arch::publish_to_multiplications();
                arch::wave_sync<Gemm::lanes>();
                if(lane == 0)
                    arch::arrive(shared.transposed[slot.number]);
                slot.advance(tuning.stages);
            }
    }

    /// What a warp that multiplies does.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        const auto at      = Gemm::place(thread);
        const index_t warp = thread / Gemm::lanes;
        const index_t a_lane =
            Wave::template lane_offset<Gemm::a_layout>(Wave::Side::m, at.wave_m, at.lane);
        const index_t b_lane =
            Wave::template lane_offset<Gemm::b_layout>(Wave::Side::n, at.wave_n, at.lane);
        const auto release = [&](index_t slot) {
            arch::wave_sync<Gemm::lanes>(); // all lanes have seen it full, and are done with it
            if constexpr(!shares)
            {
                if(at.lane == 0)
                    arch::arrive(shared.empty[slot]);
            }
            else if(at.lane < cluster_size)
                arch::arrive_in_cluster(shared.empty[slot], at.lane);
        };
        RingSlot slot;
        Work work;
        [[maybe_unused]] Held held;
        for(index_t number = first_tile(); find(p, number, work);)
        {
            Wave wave;
            wave.clear();
            index_t previous = 0;
            index_t whole    = std::numeric_limits<index_t>::max(); // slices until one that is half
            if(has_half_slices && p.half_slices)
                whole = p.tap_slices.value - 1 - work.first +
                        quotient(work.first, p.tap_slices) * p.tap_slices.value;
            for(index_t s = 0; s < work.slices; ++s)
            {
                arch::wait(shared.full[slot.number], slot.parity);
                if constexpr(transposes)
                    arch::wait(shared.transposed[slot.number], slot.parity);
                typename Gemm::Slice& slice = shared.slice[slot.number];
                if(has_half_slices && whole == 0)
                    wave.template start<Gemm::a_layout, Gemm::b_layout, half_k>(slice.a + a_lane,
                                                                                slice.b + b_lane);
                else
                    wave.template start<Gemm::a_layout, Gemm::b_layout, shape.k>(slice.a + a_lane,
                                                                                 slice.b + b_lane);
                whole = whole == 0 ? p.tap_slices.value - 1 : whole - 1;
                wave.template settle<
                    Wave::template groups<Gemm::a_layout, Gemm::b_layout, shape.k>>();
                if(s > 0)
                    release(previous);
                previous = slot.number;
                slot.advance(tuning.stages);
                if constexpr(held_passes > 0)
                    held.store_pass(shared.store[warp].c, shared.c_rows.c + at.wave_m, at.lane);
            }
            if constexpr(held_passes > 0)
            {
                held.store_rest(shared.store[warp].c, shared.c_rows.c + at.wave_m, at.lane);
                arch::wave_sync<Gemm::lanes>(); // the rows have been read
            }
            wave.template settle<0>();
            if(work.slices > 0)
                release(previous);

            const auto views = p.views(work.tile);
            if constexpr(same_rows)
            {
                shared.multiplying.meet(); // the rows of the tile before have been read
                for(index_t r = thread; r < shape.m; r += consumers)
                    set_row(shared.c_rows, r, r, p, views, work);
                shared.multiplying.meet();
            }
            else
            {
                if(at.lane < shape.wave_m)
                    set_row(shared.c_rows,
                            at.wave_m + at.lane,
                            Wave::row(at.wave_m, at.lane),
                            p,
                            views,
                            work);
                arch::wave_sync<Gemm::lanes>();
            }
            if(work.of_remainder)
                Store::store_part(wave,
                                  shared.store[warp],
                                  shared.c_rows,
                                  p,
                                  work.tile.split,
                                  work.tile.class_index,
                                  at.wave_m,
                                  work.first_column + at.wave_n,
                                  at.lane);
            else if constexpr(held_passes > 0)
                held.hold(wave,
                          shared.store[warp].c,
                          shared.c_rows.c + at.wave_m,
                          Store::base(p, work.tile),
                          work.first_column + at.wave_n,
                          views.c.template extent<1>(),
                          at.lane);
            else
                Store::run(wave,
                           shared.store[warp],
                           shared.c_rows,
                           p,
                           views,
                           work.tile,
                           at.wave_m,
                           work.first_column + at.wave_n,
                           at.lane);
            if(held_passes == 0 || work.of_remainder)
                arch::wave_sync<Gemm::lanes>(); // the rows have been read
        }
        if constexpr(held_passes > 0)
            held.store_rest(shared.store[warp].c, shared.c_rows.c + at.wave_m, at.lane);
    }

    /// Sets entry `to` of the table to row r of the tile.
    template <class Views>
    CK_DEVICE CK_INLINE static void set_row(typename Store::Rows& rows,
                                            index_t to,
                                            index_t r,
                                            const Params& p,
                                            const Views& views,
                                            const Work& work)
    {
        if(work.of_remainder)
            rows.c[to] = Store::part_row(p, work.first_row + r, work.rows, p.remainder.first_row);
        else if(Types::Ds::Size() == 0 && p.row_stride > 0)
            rows.c[to] = work.first_row + r < work.rows
                             ? static_cast<arch::offset_t>(work.first_row + r) *
                                   static_cast<arch::offset_t>(p.row_stride)
                             : arch::nowhere;
        else
            rows.set(to, p, views, work.first_row + r);
    }
};

} // namespace ck::grid
