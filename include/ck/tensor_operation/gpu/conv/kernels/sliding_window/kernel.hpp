#pragma once
// Depthwise convolution by sliding windows. A thread computes a vector of groups in a segment of C,
// several columns wide, from top to bottom. It loads and converts every row of A once and adds it
// to all rows of C whose windows contain it; the sums of these rows and the filters are in
// registers. Needs no matrix instruction.
//
// GridwiseDepthwiseConv takes any window, but loads and converts an element again for every filter
// tap that uses it.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/thread_part.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseWindowConv; empty if it is valid.
constexpr const char* why_no_window(const GemmTuning& t)
{
    if(const char* reason = why_no_window_of_threads(t))
        return reason;
    if(t.a_vector != t.window.vector || t.c_vector != t.window.vector || t.b_vector != 1)
        return "a thread of a sliding window loads and stores its groups as one vector, and "
               "filters one by one";
    return nullptr;
}

/// Transform: MergedForward or MergedBackwardData with as many groups as columns. block_tile.n: the
/// most groups. Operands are single tensors, converted and added as in ThreadPart; no D tensors.
/// The filter has tuning.window.y x tuning.window.x taps.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseWindowConv : SlidingWindow<tuning>
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of depthwise kernels are single tensors");

    using A    = typename Types::A;
    using C    = typename Types::C;
    using Part = ThreadPart<A>;

    using Windows = SlidingWindow<tuning>;
    using Windows::block_size, Windows::vector, Windows::taps_z, Windows::taps_y, Windows::taps_x,
        Windows::stride, Windows::columns, Windows::line, Windows::live, Windows::buffers,
        Windows::prefetch, Windows::period;

    static constexpr index_t taps = taps_z * taps_y * taps_x;
    static constexpr bool has_epilogue =
        has_channel_epilogue<Transform, Types>(arch::Requirement::none);
    /// No residual: the store is in the loop, once per step of a period, and a residual would make
    /// the code a tenth longer (5x5, sm_90a: 7024 instructions instead of 6361) and plain launches
    /// slower.
    static constexpr bool takes_residual = false;

    struct Params : ConvParams<Transform, Types>
    {
        WindowGeometry geometry;
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    struct SharedStorage
    {
        /// [tap][group], a vector more for each tap: lanes write taps to other banks.
        Vector<Part, vector> filter[taps * (tuning.block_tile.n / vector + 1)];
    };

    /// Tiles are columns of groups, so that blocks that share pixels, and so lines of memory, run
    /// together.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const WindowGeometry& g  = p.geometry;
        const index_t groups = g.groups, vectors = groups / vector,
                      block_segments = block_size / vectors, thread = arch::thread_index(),
                      number_in_block = thread / vectors,
                      channel         = (thread - number_in_block * vectors) * vector;
        const auto moved              = [&](auto base, const Distance& d) {
            return base + tile.column_tile * d.group + tile.sub_batch * d.sub_batch;
        };
        const WindowSegment segment(g, tile.row_tile * block_segments + number_in_block, columns);
        const bool exists   = number_in_block < block_segments && segment.image < p.images(tile);
        const index_t steps = exists ? segment.rows + live - 1 : 0;
        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const Rows from(g, segment, channel);
        typename Rows::template Step<A> rows[buffers];
        repeat<prefetch>([&](index_t s) { from.load(rows[s], in, g, s, steps); });

        copy_filters(p, shared, moved(p.b, p.b_distance) + g.filter_first, groups);
        arch::block_sync();
        if(!exists)
            return;

        Filter filter;
        repeat<taps>([&](index_t tap) {
            filter[tap] = shared.filter[tap * (vectors + 1) + channel / vector];
        });

        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        const arch::offset_t to = window_bytes(segment.image, g.c.image_bytes) +
                                  window_bytes(channel, g.c.channel_bytes) +
                                  window_bytes(segment.plane, g.c.plane_bytes) +
                                  window_bytes(segment.row, g.c.row_bytes) +
                                  window_bytes(segment.column, g.c.column_bytes);
        [[maybe_unused]] Vector<C, vector> biases;
        if constexpr(has_epilogue)
            biases = p.epilogue.template load<C, vector>(tile.column_tile, channel, groups);
        Vector<Part, vector> sum[period][columns]{};
        for(index_t first_step = 0; first_step < steps; first_step += period)
            repeat_in_place<period>([&](index_t s) {
                const index_t step = first_step + s;
                if(step >= steps)
                    return;
                from.load(rows[Windows::next_buffer(s)], in, g, step + prefetch, steps);
                add(sum, rows[Windows::buffer(s)], filter, s);
                // The oldest row is complete.
                constexpr index_t age = live - 1;
                auto& done            = sum[(s + period - age) % period];
                if(step >= age)
                {
                    if constexpr(has_epilogue)
                        p.epilogue.apply(done, biases);
                    Windows::template each<columns>([&](index_t i) {
                        Vector<C, vector> result;
                        repeat<vector>([&](index_t e) { p.operation_c(result[e], done[i][e]); });
                        out.template store<vector>(result,
                                                   segment.column + i < g.c.columns
                                                       ? to + window_bytes(i, g.c.column_bytes) +
                                                             window_bytes(step - age, g.c.row_bytes)
                                                       : arch::nowhere);
                    });
                }
                Windows::template each<columns>(
                    [&](index_t i) { done[i] = Vector<Part, vector>{}; });
                if constexpr(Windows::moves)
                    Rows::template move<A>(rows[0], rows[1]);
            });
    }

private:
    using Rows   = WindowRows<tuning>;
    using Filter = Vector<Part, vector>[taps];

    /// Copies the filters of the block's groups as Part, with the groups of a tap adjacent. A
    /// thread has several loads in flight.
    template <class From>
    CK_DEVICE CK_INLINE static void
    copy_filters(const Params& p, SharedStorage& shared, const From* from, index_t groups)
    {
        const WindowGeometry& g = p.geometry;
        Part* const to          = reinterpret_cast<Part*>(shared.filter);
        const index_t count = taps * groups, vectors = groups / vector;
        constexpr index_t together =
            math::min(math::integer_divide_ceil(taps * tuning.block_tile.n, block_size), 7);
        for(index_t first = arch::thread_index(); first < count; first += together * block_size)
        {
            Part element[together];
            index_t at[together];
            repeat<together>([&](index_t e) {
                const index_t i     = first + e * block_size;
                const index_t group = i / taps, tap = i - group * taps, row = tap / taps_x,
                              x = tap - row * taps_x, z = row / taps_y, y = row - z * taps_y;
                at[e] = tap * (vectors + 1) * vector + group;
                if(i < count)
                    element[e] =
                        type_convert<Part>(from[group * g.filter_group + z * g.filter_plane +
                                                y * g.filter_row + x * g.filter_column]);
            });
            repeat<together>([&](index_t e) {
                if(first + e * block_size < count)
                    to[at[e]] = element[e];
            });
        }
    }

    /// Adds the products of a step's rows of A to the rows of C that use them. step: one of
    /// `period` steps, after which the sums are in the same registers again.
    template <class Sum, class Step>
    CK_DEVICE CK_INLINE static void
    add(Sum& sum, const Step& rows, const Filter& filter, index_t step)
    {
        Windows::template each<taps_z * stride>([&](index_t number) {
            const index_t z = number / stride, j = number - z * stride;
            Vector<Part, vector> a[line];
            repeat<line>([&](index_t i) {
                const auto elements = rows[z][j][i].elements();
                repeat<vector>([&](index_t e) { a[i][e] = type_convert<Part>(elements[e]); });
            });
            Windows::template each<live>([&](index_t age) {
                const index_t y = age * stride + j;
                if(y >= taps_y)
                    return;
                auto& row = sum[(step + period - age) % period];
                Windows::template each<columns>([&](index_t i) {
                    Windows::template each<taps_x>([&](index_t x) {
                        repeat<vector>([&](index_t e) {
                            row[i][e] +=
                                a[i * stride + x][e] * filter[(z * taps_y + y) * taps_x + x][e];
                        });
                    });
                });
            });
        });
    }
};

} // namespace ck::grid
