#pragma once
// Depthwise convolution by sliding windows: a thread computes a vector of groups in a strip of C,
// some columns wide, from top to bottom. It loads every row of A once, converts it once, and adds
// it to all the rows of C whose windows have it, which wait in registers. The filters lie in
// registers, too. Needs no matrix instruction.
//
// GridwiseDepthwiseConv, which takes any window, loads and converts an element for every filter
// tap.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// What is wrong with the windows of a tuning's threads; empty if nothing is.
constexpr const char* why_no_window_of_threads(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "kernels of sliding windows see groups as one, and have no matrix instruction";
    const Window& w = t.window;
    if(w.y <= 0 || w.x <= 0 || w.columns <= 0 || w.stride <= 0 || w.vector <= 0)
        return "a sliding window has positive lengths and a positive stride";
    if(t.block_tile.n % w.vector != 0 || block_size(t) * w.vector < t.block_tile.n)
        return "a block of sliding windows has a thread for each vector of its groups";
    return nullptr;
}

/// What is wrong with a tuning of GridwiseWindowConv; empty if nothing is.
constexpr const char* why_no_window(const GemmTuning& t)
{
    if(const char* reason = why_no_window_of_threads(t))
        return reason;
    if(t.a_vector != t.window.vector || t.c_vector != t.window.vector || t.b_vector != 1)
        return "a thread of a sliding window loads and stores its groups as one vector, and "
               "filters one by one";
    return nullptr;
}

/// Where the rows of a convolution with sliding windows lie. Rows and columns are those of an
/// image, y and x; of a 1D convolution the pixels are the rows, of one column.
struct WindowGeometry
{
    struct Image
    {
        index_t rows, columns;              ///< lengths
        index_t row_bytes, column_bytes;    ///< from one to the next
        index_t channel_bytes, image_bytes; ///< likewise
    };

    Image a, c;
    index_t groups;                  ///< of a block
    index_t first_row, first_column; ///< of A, in the window of C's first row and column
    index_t filter_first;            ///< elements from the filter's first to the window's first tap
    index_t filter_group, filter_row, filter_column; ///< elements from one to the next
    Divisor column_strips;
    Divisor row_strips;
    index_t strip_rows; ///< rows of C in a strip, the last one may have fewer
};

/// Returns the byte offset of `count` rows, columns, channels or images.
CK_DEVICE CK_INLINE arch::offset_t window_bytes(index_t count, index_t bytes)
{
    return static_cast<arch::offset_t>(count) * static_cast<arch::offset_t>(bytes);
}

/// Transform: MergedForward or MergedBackwardData, of as many groups as columns. block_tile.n: the
/// most groups. Operands of one tensor, as they are in memory, multiplied and added as floats,
/// doubles as such; no D tensors. The filter has tuning.window.y times x taps.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseWindowConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of depthwise kernels are single tensors");

    using A    = typename Types::A;
    using C    = typename Types::C;
    using Part = std::conditional_t<std::is_same_v<A, double>, double, float>;

    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr index_t vector  = tuning.window.vector;
    static constexpr index_t taps_y  = tuning.window.y;
    static constexpr index_t taps_x  = tuning.window.x;
    static constexpr index_t stride  = tuning.window.stride;
    static constexpr index_t columns = tuning.window.columns; ///< of C, of a thread
    /// Columns of A in the windows of a thread's columns.
    static constexpr index_t line = (columns - 1) * stride + taps_x;
    /// Rows of C whose windows have a row of A, at the most.
    static constexpr index_t live = (taps_y + stride - 1) / stride;

    struct Params : ConvParams<Transform, Types>
    {
        WindowGeometry geometry;
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    /// Strips of a block that has so many groups.
    CK_HOST_DEVICE static constexpr index_t strips(index_t groups)
    {
        return block_size / (groups / vector);
    }

    struct SharedStorage
    {
        Vector<Part, vector>
            filter[taps_y * taps_x * tuning.block_tile.n / vector]; ///< [tap][group]
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const WindowGeometry& g  = p.geometry;
        const index_t groups = g.groups, vectors = groups / vector,
                      block_strips = block_size / vectors, thread = arch::thread_index(),
                      number_in_block = thread / vectors,
                      channel         = (thread - number_in_block * vectors) * vector;
        const auto moved              = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.chunk * d.chunk;
        };
        copy_filters(p, shared, moved(p.b, p.b_distance) + g.filter_first, groups);
        arch::block_sync();

        index_t strip              = tile.row_tile * block_strips + number_in_block;
        const index_t first_column = split_off(strip, g.column_strips) * columns,
                      first_row = split_off(strip, g.row_strips) * g.strip_rows, image = strip;
        if(number_in_block >= block_strips || image >= p.images(tile))
            return;

        Vector<Part, vector> filter[taps_y][taps_x];
        repeat<taps_y>([&](index_t y) {
            repeat<taps_x>([&](index_t x) {
                filter[y][x] = shared.filter[((y * taps_x + x) * groups + channel) / vector];
            });
        });

        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::offset_t from =
            window_bytes(image, g.a.image_bytes) + window_bytes(channel, g.a.channel_bytes);
        arch::offset_t at[line]; // of A's columns
        repeat<line>([&](index_t i) {
            const index_t column = first_column * stride + g.first_column + i;
            at[i]                = column >= 0 && column < g.a.columns
                                       ? from + window_bytes(column, g.a.column_bytes)
                                       : arch::nowhere;
        });
        const index_t rows  = math::min(g.strip_rows, g.c.rows - first_row);
        const index_t steps = rows + live - 1;
        using Rows          = Vector<A, vector>[stride][line];
        const auto load     = [&](Rows& to, index_t step) {
            repeat<stride>([&](index_t j) {
                const index_t row         = (first_row + step) * stride + j + g.first_row;
                const bool inside         = step < steps && row >= 0 && row < g.a.rows;
                const arch::offset_t down = inside ? window_bytes(row, g.a.row_bytes) : 0;
                repeat<line>([&](index_t i) {
                    to[j][i] = in.template load<vector>(inside ? at[i] + down : arch::nowhere);
                });
            });
        };

        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        const arch::offset_t to =
            window_bytes(image, g.c.image_bytes) + window_bytes(channel, g.c.channel_bytes) +
            window_bytes(first_column, g.c.column_bytes) + window_bytes(first_row, g.c.row_bytes);
        Vector<Part, vector> sum[live][columns]{};
        Rows now, next;
        load(now, 0);
        for(index_t first_step = 0; first_step < steps; first_step += live)
            repeat_in_place<live>([&](index_t s) {
                const index_t step = first_step + s;
                if(step >= steps)
                    return;
                load(next, step + 1);
                add(sum, now, filter, s);
                // The oldest row is complete.
                constexpr index_t age = live - 1;
                auto& done            = sum[(s + live - age) % live];
                if(step >= age)
                    repeat<columns>([&](index_t i) {
                        Vector<C, vector> result;
                        repeat<vector>([&](index_t e) { p.operation_c(result[e], done[i][e]); });
                        out.template store<vector>(result,
                                                   first_column + i < g.c.columns
                                                       ? to + window_bytes(i, g.c.column_bytes) +
                                                             window_bytes(step - age, g.c.row_bytes)
                                                       : arch::nowhere);
                    });
                repeat<columns>([&](index_t i) { done[i] = Vector<Part, vector>{}; });
                repeat<stride>(
                    [&](index_t j) { repeat<line>([&](index_t i) { now[j][i] = next[j][i]; }); });
            });
    }

private:
    /// The filters of the block's groups, as Part, a tap's groups side by side.
    template <class From>
    CK_DEVICE CK_INLINE static void
    copy_filters(const Params& p, SharedStorage& shared, const From* from, index_t groups)
    {
        constexpr index_t taps  = taps_y * taps_x;
        const WindowGeometry& g = p.geometry;
        Part* const to          = reinterpret_cast<Part*>(shared.filter);
        for(index_t i = arch::thread_index(); i < taps * groups; i += block_size)
        {
            const index_t group = i / taps, tap = i - group * taps, y = tap / taps_x,
                          x          = tap - y * taps_x;
            to[tap * groups + group] = type_convert<Part>(
                from[group * g.filter_group + y * g.filter_row + x * g.filter_column]);
        }
    }

    /// Adds the products of `stride` rows of A to the rows of C that have them. step: of `live`
    /// steps, after which the sums are the same ones again.
    template <class Sum, class Rows, class Filter>
    CK_DEVICE CK_INLINE static void
    add(Sum& sum, const Rows& rows, const Filter& filter, index_t step)
    {
        repeat<stride>([&](index_t j) {
            Vector<Part, vector> a[line];
            repeat<line>([&](index_t i) {
                repeat<vector>([&](index_t e) { a[i][e] = type_convert<Part>(rows[j][i][e]); });
            });
            repeat<live>([&](index_t age) {
                const index_t y = age * stride + j;
                if(y >= taps_y)
                    return;
                auto& row = sum[(step + live - age) % live];
                repeat<columns>([&](index_t i) {
                    repeat<taps_x>([&](index_t x) {
                        repeat<vector>([&](index_t e) {
                            row[i][e] += a[i * stride + x][e] * filter[y][x][e];
                        });
                    });
                });
            });
        });
    }
};

} // namespace ck::grid
