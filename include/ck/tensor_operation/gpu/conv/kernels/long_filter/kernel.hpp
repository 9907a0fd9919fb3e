#pragma once
// Depthwise convolution with filters of any size and strides of 1. A thread computes a vector of
// groups for several adjacent elements of a row of C. For each filter row it loads and converts
// every element of A under its windows once; parts of the filter row's taps are in LDS. Needs no
// matrix instruction.
//
// GridwiseWindowConv is for small filters: it keeps filters and the sums of all rows in registers.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/thread_part.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseLongFilterConv; empty if it is valid.
constexpr const char* why_no_long_filter(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "kernels of long filters see groups as one, and have no matrix instruction";
    const Window& w = t.window;
    if(w.z != 1 || w.y != 0 || w.x != 0 || w.stride != 1 || w.columns <= 0 || w.vector <= 0)
        return "filters of kernels of long filters have any size, and a stride of 1";
    if(t.block_tile.n % w.vector != 0 || block_size(t) * w.vector < t.block_tile.n ||
       t.a_vector != w.vector || t.c_vector != w.vector || t.b_vector != 1)
        return "a block of long filters has a thread for each vector of its groups, which it loads "
               "and stores as one, and filters one by one";
    return nullptr;
}

/// Transform: MergedForward or MergedBackwardData with as many groups as columns. block_tile: n,
/// the most groups; k, taps of a filter row in LDS. Operands are single tensors, converted and
/// added as in ThreadPart; no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseLongFilterConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of depthwise kernels are single tensors");

    using A    = typename Types::A;
    using C    = typename Types::C;
    using Part = ThreadPart<A>;

    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);

    static constexpr index_t vector  = tuning.window.vector;
    static constexpr index_t columns = tuning.window.columns; ///< columns of C per thread
    static constexpr index_t held    = tuning.block_tile.k;   ///< taps in LDS

    struct Params : ConvParams<Transform, Types>
    {
        WindowGeometry geometry;        ///< geometry whose segments are one row high
        index_t taps_z, taps_y, taps_x; ///< filter planes, rows and columns
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    struct SharedStorage
    {
        Vector<Part, vector> filter[held * tuning.block_tile.n / vector]; ///< [tap][group]
    };

    /// Segments of a block.
    CK_HOST_DEVICE static constexpr index_t block_segments(index_t groups)
    {
        return block_size / (groups / vector);
    }

    /// Tiles are columns of groups, so that blocks that share pixels, and so lines of memory, run
    /// together.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const WindowGeometry& g  = p.geometry;
        const index_t groups = g.groups, vectors = groups / vector, thread = arch::thread_index(),
                      number_in_block = thread / vectors,
                      number = thread - number_in_block * vectors, channel = number * vector;
        const auto moved = [&](auto base, const Distance& d) {
            return base + tile.column_tile * d.group + tile.sub_batch * d.sub_batch;
        };
        const auto* const filters = moved(p.b, p.b_distance) + g.filter_first;
        const WindowSegment segment(
            g, tile.row_tile * block_segments(groups) + number_in_block, columns);
        const bool computes =
            number_in_block < block_segments(groups) && segment.image < p.images(tile);

        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::offset_t from =
            window_bytes(segment.image, g.a.image_bytes) + window_bytes(channel, g.a.channel_bytes);
        Vector<Part, vector> sum[columns]{};
        for(index_t filter_row = 0; filter_row < p.taps_z * p.taps_y; ++filter_row)
        {
            const index_t z = filter_row / p.taps_y, y = filter_row - z * p.taps_y,
                          plane = segment.plane + g.first_plane + z,
                          row   = segment.row + g.first_row + y;
            const bool inside =
                computes && plane >= 0 && plane < g.a.planes && row >= 0 && row < g.a.rows;
            const arch::offset_t at =
                from + window_bytes(plane, g.a.plane_bytes) + window_bytes(row, g.a.row_bytes);
            for(index_t first = 0; first < p.taps_x; first += held)
            {
                const index_t taps = math::min(held, p.taps_x - first);
                arch::block_sync();
                copy_filters(p,
                             shared,
                             filters + z * g.filter_plane + y * g.filter_row +
                                 first * g.filter_column,
                             taps);
                arch::block_sync();
                if(inside)
                    add(sum,
                        in,
                        g,
                        at,
                        segment.column + g.first_column + first,
                        shared.filter + number,
                        taps);
                else if(computes)
                    add_padding(sum, shared.filter + number, taps, vectors);
            }
        }
        if(!computes)
            return;

        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        const arch::offset_t to = window_bytes(segment.image, g.c.image_bytes) +
                                  window_bytes(channel, g.c.channel_bytes) +
                                  window_bytes(segment.plane, g.c.plane_bytes) +
                                  window_bytes(segment.row, g.c.row_bytes);
        const auto place = [&](index_t i) {
            const index_t column = segment.column + i;
            return column < g.c.columns ? to + window_bytes(column, g.c.column_bytes)
                                        : arch::nowhere;
        };
        if constexpr(has_epilogue)
        {
            const auto residuals = p.epilogue.residuals(p.c, moved(p.c, p.c_distance));
            p.epilogue.apply(sum,
                             p.epilogue.template load<C, vector>(tile.column_tile, channel, groups),
                             [&](index_t i) { return residuals.template load<vector>(place(i)); });
        }
        repeat<columns>([&](index_t i) {
            Vector<C, vector> result;
            repeat<vector>([&](index_t e) { p.operation_c(result[e], sum[i][e]); });
            out.template store<vector>(result, place(i));
        });
    }

private:
    using Sum = Vector<Part, vector>[columns];

    /// Taps of a row of the block's filters, as Part, a tap's groups side by side.
    template <class From>
    CK_DEVICE CK_INLINE static void
    copy_filters(const Params& p, SharedStorage& shared, const From* from, index_t taps)
    {
        const WindowGeometry& g = p.geometry;
        Part* const to          = reinterpret_cast<Part*>(shared.filter);
        for(index_t i = arch::thread_index(); i < taps * g.groups; i += block_size)
        {
            const index_t group = i / taps, tap = i - group * taps;
            to[tap * g.groups + group] =
                type_convert<Part>(from[group * g.filter_group + tap * g.filter_column]);
        }
    }

    /// Adds the products of a row of padding: zeros, unless the filter contains Inf or NaN.
    CK_DEVICE CK_INLINE static void
    add_padding(Sum& sum, const Vector<Part, vector>* filter, index_t taps, index_t vectors)
    {
        Vector<Part, vector> zeros{};
        for(index_t x = 0; x < taps; ++x)
        {
            const auto tap = filter[x * vectors];
            repeat<vector>([&](index_t e) { zeros[e] += Part{0} * tap[e]; });
        }
        repeat<columns>(
            [&](index_t i) { repeat<vector>([&](index_t e) { sum[i][e] += zeros[e]; }); });
    }

    /// Adds the products of a row of A, from a column on, with `taps` taps of the filter. at:
    /// position of the row's first column.
    CK_DEVICE CK_INLINE static void add(Sum& sum,
                                        const arch::GlobalView<const A>& in,
                                        const WindowGeometry& g,
                                        arch::offset_t at,
                                        index_t column,
                                        const Vector<Part, vector>* filter,
                                        index_t taps)
    {
        const index_t vectors = g.groups / vector;
        const index_t last    = column + taps + columns - 1; // the column after the windows
        Waiting<A, vector> next[columns];
        Sum line[2]; // adjacent parts of A's row, `columns` elements each
        const auto load = [&](index_t first) {
            repeat<columns>([&](index_t i) {
                const index_t x = first + i;
                next[i]         = in.template load<vector>(x >= 0 && x < g.a.columns && x < last
                                                               ? at + window_bytes(x, g.a.column_bytes)
                                                               : arch::nowhere);
            });
        };
        const auto convert = [&](Sum& to) {
            repeat<columns>([&](index_t i) {
                const auto elements = next[i].elements();
                repeat<vector>([&](index_t e) { to[i][e] = type_convert<Part>(elements[e]); });
            });
        };
        load(column);
        convert(line[0]);
        load(column + columns);
        for(index_t first = 0; first < taps; first += columns)
        {
            convert(line[1]);
            load(column + first + 2 * columns);
            repeat<columns>([&](index_t x) {
                if(first + x >= taps)
                    return;
                const auto tap = filter[(first + x) * vectors];
                repeat<columns>([&](index_t i) {
                    const index_t at_line = i + x;
                    repeat<vector>([&](index_t e) {
                        sum[i][e] += line[at_line / columns][at_line % columns][e] * tap[e];
                    });
                });
            });
            repeat<columns>([&](index_t i) { line[0][i] = line[1][i]; });
        }
    }
};

} // namespace ck::grid
