#pragma once
// The backward weight kernel of Hopper for floats multiplied as tf32: lines of X are copied once
// for three neighbouring taps in x, which read the same lines, each from another pixel on. X passes
// through registers as wgmma's first operand; its second is dY, transposed in LDS.
#include "ck/arch/index.hpp"
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/grid/warp_specialized.hpp"
#include "ck/tensor_operation/gpu/warp/pixels_fragment.hpp"
#include "ck/tensor_operation/gpu/warp/transpose_lines.hpp"
#include "ck/tensor_operation/gpu/warp/warpgroup_gemm.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

namespace ck::grid {

/// What is wrong with a tuning of GridwiseFilterRowConv; empty if nothing is. Transform: of the
/// direction.
template <class Transform>
constexpr const char* why_no_filter_rows(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    if(Transform::a_along_k || Transform::b_along_k || t.reduction != Reduction::by_tap ||
       instruction_of(t).a_element != arch::Element::tf32 || !arch::takes_shared(t.instruction))
        return "filter rows are backward weight's, of floats multiplied as tf32 by wgmma";
    if(t.min_blocks_per_cu != 1)
        return "filter rows have workgroups alone on their SM";
    if(t.block_tile.m != 128 || t.wave_m != 128 || t.block_tile.n != 384 || t.wave_n != 48 ||
       t.block_tile.k != 32)
        return "filter rows have tiles of 128 channels of Y and 128 of X at three taps, warps of "
               "16 of these, and slices of 32 output pixels";
    return nullptr;
}

/// The lines of X that 32 output pixels in a row meet with three neighbouring taps, of stride and
/// dilation 1 in x: those of whole rows of windows follow each other, from the first pixel of the
/// first tap to the last of the last.
struct FilterRowLines
{
    Divisor row;              ///< output pixels in x, an even number
    index_t lines;            ///< of a slice, a multiple of 8
    std::uint32_t multiplier; ///< 2^32 over the row, rounded up
    index_t advance;          ///< pixels to where the next slice begins, or to a row after that

    static constexpr index_t pixels = 32, taps = 3;
    static constexpr index_t longest_row = 1 << 15; ///< that rows() can divide by

    static constexpr FilterRowLines make(long_index_t row)
    {
        FilterRowLines r{};
        r.row        = make_divisor(static_cast<index_t>(row));
        r.multiplier = static_cast<std::uint32_t>(((1ll << 32) + row - 1) / row);
        r.advance    = pixels % r.row.value;
        // The pixels may begin with a row's last two.
        r.lines = math::integer_least_multiple(r.line(r.row.value - 2, pixels - 1) + taps, 8);
        return r;
    }

    /// Lines of a row.
    CK_HOST_DEVICE constexpr index_t span() const { return row.value + taps - 1; }
    /// Lines from the first tap of the pixel `column` of a row to that of the pixel `number` pixels
    /// on.
    CK_HOST_DEVICE constexpr index_t line(index_t column, index_t number) const
    {
        return number + rows(column + number) * (taps - 1);
    }
    /// Whole rows before a pixel, counted from the start of the row that a slice begins in. Exact
    /// below 2^32 / row pixels: rounded up, the multiplier is less than 1 too large.
    CK_HOST_DEVICE CK_INLINE constexpr index_t rows(index_t pixel) const
    {
        const auto n = static_cast<std::uint64_t>(static_cast<std::uint32_t>(pixel));
        return static_cast<index_t>(n * multiplier >> 32);
    }
    /// Where in its row the slice after one begins.
    CK_HOST_DEVICE CK_INLINE constexpr index_t next(index_t column) const
    {
        column += advance;
        return column - (column >= row.value ? row.value : 0);
    }
};

/// Backward weight of one group. A workgroup computes 128 channels of Y, of 128 channels of X at
/// three taps; each of its two warpgroups has 64 of these.
template <class Types, GemmTuning tuning>
struct GridwiseFilterRowConv : WarpSpecialized<GridwiseFilterRowConv<Types, tuning>>
{
    using Transform                    = BackwardWeight;
    static constexpr index_t lanes     = 32;
    static constexpr index_t taps      = FilterRowLines::taps;
    static constexpr index_t pixels    = tuning.block_tile.k;
    static constexpr index_t rows      = tuning.block_tile.m;
    static constexpr index_t channels  = tuning.block_tile.n / taps; ///< of X
    static constexpr index_t waves     = tuning.block_tile.n / tuning.wave_n;
    static constexpr index_t consumers = waves * lanes;

    using Fragment    = warp::FragmentOfPixels;
    using Square      = warp::SquareOfLines<4, true, 1>; // by warps that gave up registers
    using Wave        = warp::WarpgroupGemm<tuning.instruction, rows / 8, 1, true>;
    using Accumulator = typename Wave::Accumulator;
    using Input       = typename Wave::InputM;
    using C           = typename Types::C;
    static_assert(multiplied_as_in_memory<Types, Input, Input, tf32_t>(),
                  "tensor maps bring floats as tf32");

    static constexpr index_t line_bytes = 128;
    static constexpr index_t a_boxes    = rows / Fragment::channels,
                             b_boxes    = channels / Fragment::channels;
    static constexpr index_t a_bytes    = rows * pixels * 4;
    using Store                         = StoreC<Transform, Types, Wave, rows, 2, false, 1 << 10>;
    using Registers                     = RegisterReallocation<consumers, 1, true, 40>;
    static constexpr index_t block_size = Registers::block_size;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;
    static constexpr index_t most_stages           = 8;
    /// See Partials::pixels: what 72 slices take more than their share of 286, H200.
    static constexpr index_t partial_pixels = 12 * pixels;
    /// Warps that neither multiply nor copy.
    static constexpr index_t other_warps = (block_size - consumers) / lanes - 1;

    struct Params : ConvParams<Transform, Types>
    {
        arch::TensorMap a_map, b_map;
        FilterRowLines x;
        PixelWindows windows; ///< of X: all lines of rows, and the taps in x of a group as one
        /// Tiles of dW: by rows, blocks of X's channels, groups of taps in x, taps in y and z.
        Divisor row_tiles, channel_blocks, x_groups, y_taps, z_taps;
        index_t x_taps;
        index_t in_channels; ///< of X
        index_t rank;        ///< of the maps
        index_t slices;      ///< of `pixels` output pixels
        index_t stage_bytes; ///< of shared memory
        index_t stages;
    };

    static long_index_t grid_size(const Params& p)
    {
        return long_index_t{p.row_tiles.value} * p.channel_blocks.value * p.x_groups.value *
               p.y_taps.value * p.z_taps.value * p.tiles.splits.value;
    }

    struct Rest
    {
        typename Store::Rows c_rows;
        CopyRing<most_stages> ring;
        arch::TransactionBarrier transposed[most_stages];
    };
    using SharedStorage                 = PooledStorage<Rest, (227 << 10)>;
    static constexpr index_t pool_bytes = SharedStorage::pool_bytes; ///< for the slices

    /// See GridwiseTensorMapConv.
    static bool starts_early(const Params& p) { return p.partials.base == nullptr; }

private:
    friend struct WarpSpecialized<GridwiseFilterRowConv>;

    CK_DEVICE CK_INLINE static void prepare(SharedStorage& shared)
    {
        shared.rest.ring.prepare(waves);
        for(index_t slot = 0; slot < most_stages; ++slot)
            arch::initialize(shared.rest.transposed[slot], other_warps);
    }
    CK_DEVICE CK_INLINE static void set_up(const Params& p, SharedStorage& shared, index_t thread)
    {
        if(thread < rows)
            shared.rest.c_rows.set(
                thread, p, p.views(TileMap::Tile{}), Work(p).row_tile * rows + thread);
    }
    CK_DEVICE CK_INLINE static void copy(const Params& p, SharedStorage& shared)
    {
        if(p.rank == 3)
            copy_maps<3>(p, shared);
        else if(p.rank == 4)
            copy_maps<4>(p, shared);
        else
            copy_maps<5>(p, shared);
    }

    /// What this block computes: a tile of dW, from slices [first, end) of the output pixels.
    struct Work
    {
        index_t row_tile, channel_block, x_group, y, z;
        index_t split, first, end;

        CK_DEVICE CK_INLINE explicit Work(const Params& p, index_t block = arch::block_index())
        {
            row_tile           = split_off(block, p.row_tiles);
            channel_block      = split_off(block, p.channel_blocks);
            x_group            = split_off(block, p.x_groups);
            y                  = split_off(block, p.y_taps);
            z                  = split_off(block, p.z_taps);
            split              = block;
            const index_t each = math::integer_divide_ceil(p.slices, p.tiles.splits.value);
            first              = split * each;
            end                = math::min(first + each, p.slices);
        }
    };

    /// What the copying thread does, by maps of a rank.
    template <index_t rank>
    CK_DEVICE CK_INLINE static void copy_maps(const Params& p, SharedStorage& shared)
    {
        const Work work(p);
        const PixelWindows y = a_windows(p.transform, 0);
        const index_t bytes  = a_bytes + b_boxes * p.x.lines * line_bytes;
        const auto tap =
            p.windows.tap((work.z * p.y_taps.value + work.y) * p.x_groups.value + work.x_group);
        RingSlot slot;
        for(index_t number = work.first; number < work.end; ++number)
        {
            const index_t pixel = number * pixels, row = quotient(pixel, p.x.row);
            arch::TransactionBarrier& full = shared.rest.ring.full[slot.number];
            char* const to                 = shared.pool + slot.number * p.stage_bytes;
            const auto own                 = y.pixel(pixel);
            const auto first = p.windows.pixel(row * p.x.span() + pixel - row * p.x.row.value);
            // The last slot is handed back once more than it was filled, see multiply().
            arch::wait(shared.rest.ring.empty[slot.number],
                       slot.parity ^ (slot.number != p.stages - 1));
            arch::arrive_expecting(full, bytes);
            for(index_t i = 0; i < a_boxes; ++i)
                arch::copy_box<true>(to + i * (pixels * line_bytes),
                                     p.a_map,
                                     rank,
                                     {work.row_tile * rows + i * Fragment::channels,
                                      {own.spatial[0], own.spatial[1], own.spatial[2]},
                                      own.image,
                                      {0, 0, 0}},
                                     full);
            for(index_t i = 0; i < b_boxes; ++i)
                arch::copy_box<true>(to + a_bytes + i * p.x.lines * line_bytes,
                                     p.b_map,
                                     rank,
                                     {work.channel_block * channels + i * Fragment::channels,
                                      {first.spatial[0], first.spatial[1], first.spatial[2]},
                                      first.image,
                                      {tap.offset[0], tap.offset[1], tap.offset[2]}},
                                     full);
            slot.advance(p.stages);
        }
    }

    /// What the other warps do before a slice is multiplied: they transpose dY.
    CK_DEVICE CK_INLINE static void assist(const Params& p, SharedStorage& shared, index_t thread)
    {
        const index_t warp = thread / lanes, lane = thread % lanes;
        const auto start = Square::start(lane);
        const Work work(p);
        RingSlot slot;
        for(index_t number = work.first; number < work.end; ++number)
        {
            arch::wait(shared.rest.ring.full[slot.number], slot.parity);
            auto* const squares =
                reinterpret_cast<Input*>(shared.pool + slot.number * p.stage_bytes);
            CK_NOT_UNROLLED
            for(index_t i = warp; i < a_boxes * Square::groups; i += other_warps)
                Square::transpose(squares + i / Square::groups * (Square::size * Square::size),
                                  start,
                                  i % Square::groups);
            arch::order_before_async_accesses();
            arch::wave_sync<lanes>();
            if(lane == 0)
                arch::arrive(shared.rest.transposed[slot.number]);
            slot.advance(p.stages);
        }
    }

    using Words = Vector<std::uint32_t, 4>;

    /// What a warp that multiplies does. A fragment is read before the multiplication with the one
    /// before is started, which would keep the warp until it begins. A tap's first pixel is the
    /// second of the tap before: what all taps read once is 5 % of the time.
    ///
    /// 192 accumulators leave few registers: a slice is handed back when the next one has been
    /// started, and threads find again what they are.
    CK_DEVICE CK_INLINE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        constexpr index_t steps = pixels / 8, of_slice = steps * taps, fragments = 3;
        static_assert(of_slice % fragments == 0);
        const index_t warp = thread / lanes, lane = thread % lanes, box = warp / 2;
        const Work work(p);
        const index_t channel = Fragment::channel(lane, warp % 2);
        Wave wave[taps];
        arch::MatrixA<tuning.instruction> fragment[fragments][1];
        for(Wave& w : wave)
            w.clear();
        for(Wave& w : wave)
            w.begin(); // for nvcc 13, which else serializes the multiplications
        RingSlot slot;
        // Where the slice begins in its row.
        index_t column =
            work.first * pixels - quotient(work.first * pixels, p.x.row) * p.x.row.value;
        const index_t quarter = arch::opaque(lane % 4); // of eight pixels
        // nvcc 13 has no registers for copies that it knows to be copies.
        const auto zero    = static_cast<std::uint32_t>(arch::opaque(0));
        const auto copy_of = [&](Input x) {
            return __builtin_bit_cast(Input, __builtin_bit_cast(std::uint32_t, x) + zero);
        };
        index_t line = 0, place = 0; // of this lane's first pixel, and where it reads
        const index_t from = a_bytes + box * p.x.lines * line_bytes;
        const auto load    = [&](auto number) { // of a slice's fragments
            constexpr index_t step = number / taps, tap = number % taps;
            auto& to = fragment[number % fragments];
            const auto* const x =
                reinterpret_cast<const Input*>(shared.pool + slot.number * p.stage_bytes + from);
            arch::wait_multiplication_groups<fragments - 2>(); // the others do not read it
            arch::pin(to);
            if constexpr(tap == 0)
                line = 2 * (quarter + p.x.rows(column + quarter * 2 + step * 8));
            if constexpr(tap < 2)
                place = Fragment::place(line + 2 * tap + step * 8, arch::opaque(channel));
            const auto& before = fragment[(number + fragments - 1) % fragments][0];
            const auto first   = tap == 0 ? Fragment::pixel(x, place)
                                             : Vector<Input, 2>{copy_of(before[2]), copy_of(before[3])};
            const auto second  = Fragment::pixel(x, tap == 1 ? place : Fragment::next_line(place));
            to[0]              = {first[0], first[1], second[0], second[1]};
        };
        const auto start = [&](auto number, const arch::SharedOperand& b) {
            constexpr index_t step = number / taps, tap = number % taps;
            auto& of = fragment[number % fragments];
            arch::pin(of);
            wave[tap].begin();
            arch::multiply_registers<tuning.instruction, false>(
                __builtin_bit_cast(Words, of[0]),
                b + step * 32,
                reinterpret_cast<arch::MatrixC<tuning.instruction>(&)[Wave::m_tiles]>(wave[tap].c));
            arch::end_multiplication_group();
        };
        const auto wait = [&] { arch::wait(shared.rest.transposed[slot.number], slot.parity); };
        index_t left    = work.end - work.first; // slices
        if(left > 0)
        {
            wait();
            load(Number<0>{});
        }
        for(; left > 0; --left)
        {
            const auto b =
                arch::SharedOperand::make(
                    shared.pool + slot.number * p.stage_bytes, line_bytes, 8 * line_bytes, 0)
                    .of_first_lane();
            unrolled<1, of_slice>([&](auto next) {
                load(next);
                start(Number<next - 1>{}, b);
            });
            arch::wave_sync<lanes>(); // all lanes have seen it full, and are done with it
            if(arch::thread_index() % lanes == 0) // the slot before, after the first slice the last
                arch::arrive(
                    shared.rest.ring.empty[(slot.number == 0 ? p.stages : slot.number) - 1]);
            slot.advance(p.stages);
            column = p.x.next(column);
            if(left > 1)
            {
                wait();
                load(Number<0>{});
            }
            start(Number<of_slice - 1>{}, b);
        }
        for(Wave& w : wave)
            w.template wait_mma<0>();
        const Work to(p, arch::opaque(arch::block_index()));
        store(wave,
              p,
              to,
              shared,
              to.channel_block * channels + box * Fragment::channels + channel,
              lane);
    }

    /// Two channels of X at a time: what eight lanes have of a row is 64 bytes of two sectors.
    CK_DEVICE CK_INLINE static void store(const Wave (&wave)[taps],
                                          const Params& p,
                                          const Work& work,
                                          const SharedStorage& shared,
                                          index_t channel,
                                          index_t lane)
    {
        const index_t x_tap = work.x_group * taps,
                      tap   = (work.z * p.y_taps.value + work.y) * p.x_taps + x_tap;
        const auto all      = [&]<class E>(const arch::GlobalView<E>& view, const auto& value_of) {
            unrolled<0, taps>([&](auto i) {
                const bool exists = channel < p.in_channels && x_tap + i < p.x_taps;
                const auto column = static_cast<arch::offset_t>(
                    ((tap + i) * p.in_channels + channel) * static_cast<index_t>(sizeof(E)));
                unrolled<0, Wave::m_tiles>([&](auto j) {
                    unrolled<0, 2>([&](auto e) {
                        const auto& c = wave[i].c[j][0];
                        view.template store<2>(
                            value_of(c[e], c[e + 2]),
                            exists ? shared.rest.c_rows.c[j * 8 + lane % 4 * 2 + e] + column
                                        : arch::nowhere);
                    });
                });
            });
        };
        const arch::GlobalView<Accumulator> partial(static_cast<Accumulator*>(p.partials.base) +
                                                    work.split * p.partials.partial);
        const auto as_they_are = [](Accumulator first, Accumulator second) {
            return Vector<Accumulator, 2>{first, second};
        };
        if constexpr(std::is_same_v<C, Accumulator> &&
                     thread::is_identity<typename Types::OperationC>)
            all(p.partials.base != nullptr ? partial : arch::GlobalView<C>(p.c), as_they_are);
        else if(p.partials.base != nullptr)
            all(partial, as_they_are);
        else
            all(arch::GlobalView<C>(p.c), [&](Accumulator first, Accumulator second) {
                Vector<C, 2> r;
                p.operation_c(r[0], first);
                p.operation_c(r[1], second);
                return r;
            });
    }
};

} // namespace ck::grid
