#pragma once
// Backward weight of depthwise convolutions by sliding windows. A thread slides down segments of dY
// and X, several columns wide, for a vector of groups. It loads and converts every row once, and
// keeps in registers the rows of dY whose windows contain a row of X, and the sums of all taps. A
// block adds up its threads' sums in a fixed order and stores one partial sum of dW.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseWindowWeightConv; empty if it is valid.
constexpr const char* why_no_weight_window(const GemmTuning& t)
{
    if(const char* reason = why_no_window_of_threads(t))
        return reason;
    if(t.a_vector != 1 || t.b_vector != 1)
        return "vectors of sliding windows have several groups, whose tensors are accessed one by "
               "one";
    return nullptr;
}

/// A = dY, B = X, C = dW, of groups of one channel that follow each other in memory. A block
/// computes block_tile.n groups at the most. Operands as they are in memory, multiplied and added
/// as the instruction's sums. The filter has tuning.window.y times x taps.
template <class Types, GemmTuning tuning>
struct GridwiseWindowWeightConv : SlidingWindow<tuning>
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands of depthwise kernels are single tensors");

    using A    = typename Types::A;
    using B    = typename Types::B;
    using C    = typename Types::C;
    using Part = typename arch::MatrixTypes<tuning.instruction>::Accumulator;

    using Windows = SlidingWindow<tuning>;
    using Windows::block_size, Windows::vector, Windows::taps_z, Windows::taps_y, Windows::taps_x,
        Windows::stride, Windows::columns, Windows::line, Windows::live, Windows::buffers,
        Windows::prefetch, Windows::period, Windows::segment_threads;

    static constexpr index_t tap_rows = taps_z * taps_y;

    static constexpr index_t most_groups = tuning.block_tile.n; ///< groups of a block

    struct Params : ConvParams<BackwardWeight, Types>
    {
        WindowGeometry geometry; ///< geometry: A is X, C is dY, the filter dW
        index_t all_groups;      ///< groups of the problem
        index_t segments_of_image;
        index_t part_segments; ///< segments of a partial sum; the last may have fewer
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    struct SharedStorage
    {
        Part sum[block_size * taps_x * vector]; ///< [x][thread][group], of one row of taps
    };

    /// Tiles are columns of groups, so that blocks that share pixels, and so lines of memory, run
    /// together.
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const index_t groups = p.geometry.groups, vectors = groups / vector,
                      thread = arch::thread_index(), segment_thread = thread / vectors,
                      channel = (thread - segment_thread * vectors) * vector,
                      first   = tile.column_tile * groups, // first group of the block
            last              = math::min(groups, p.all_groups - first);
        Sums sum{};
        if(segment_thread < segment_threads(groups) && channel < last)
            accumulate(p, tile, sum, first + channel, segment_thread);
        repeat<tap_rows>([&](index_t row) {
            if(segment_thread < segment_threads(groups))
                repeat<taps_x>([&](index_t x) {
                    repeat<vector>([&](index_t e) {
                        shared.sum[(x * segment_threads(groups) + segment_thread) * groups +
                                   channel + e] = sum[row][x][e];
                    });
                });
            arch::block_sync();
            store(p, tile, shared, row, first, last);
            arch::block_sync();
        });
    }

private:
    using Places = WindowRows<tuning>;
    using Sums   = Vector<Part, vector>[tap_rows][taps_x];

    /// The loads of one step down: rows of X and one row of dY.
    struct Rows
    {
        typename Places::template Step<B> x;
        Waiting<A, vector> dy[columns];
    };

    /// Adds to the sums what every n-th segment of the block's part has.
    CK_DEVICE CK_INLINE static void accumulate(const Params& p,
                                               const TileMap::Tile& tile,
                                               Sums& sum,
                                               index_t channel,
                                               index_t segment_thread)
    {
        const WindowGeometry& g = p.geometry;
        const index_t first     = tile.split * p.part_segments,
                      last =
                          math::min(first + p.part_segments, p.images(tile) * p.segments_of_image);
        const arch::GlobalView<const A> dy(p.a + tile.sub_batch * p.a_distance.sub_batch);
        const arch::GlobalView<const B> x(p.b + tile.sub_batch * p.b_distance.sub_batch);
        for(index_t number = first + segment_thread; number < last;
            number += segment_threads(g.groups))
        {
            const WindowSegment segment(g, number, columns);
            const Places places(g, segment, channel);
            arch::offset_t dy_at[columns];
            repeat<columns>([&](index_t i) {
                dy_at[i] = segment.column + i < g.c.columns
                               ? window_bytes(segment.image, g.c.image_bytes) +
                                     window_bytes(channel, g.c.channel_bytes) +
                                     window_bytes(segment.plane, g.c.plane_bytes) +
                                     window_bytes(segment.column + i, g.c.column_bytes)
                               : arch::nowhere;
            });
            const index_t steps = segment.rows + live - 1;
            const auto load     = [&](Rows& to, index_t step) {
                places.load(to.x, x, g, step, steps);
                const bool inside = step < segment.rows;
                const arch::offset_t down =
                    inside ? window_bytes(segment.row + step, g.c.row_bytes) : 0;
                repeat<columns>([&](index_t i) {
                    to.dy[i] = dy.template load<vector>(inside ? dy_at[i] + down : arch::nowhere);
                });
            };
            Vector<Part, vector> live_rows[period][columns]{}; // rows of dY
            Rows rows[buffers];
            repeat<prefetch>([&](index_t s) { load(rows[s], s); });
            for(index_t first_step = 0; first_step < steps; first_step += period)
                repeat_in_place<period>([&](index_t s) {
                    const index_t step = first_step + s;
                    if(step >= steps)
                        return;
                    load(rows[Windows::next_buffer(s)], step + prefetch);
                    const Rows& now = rows[Windows::buffer(s)];
                    repeat<columns>([&](index_t i) {
                        const auto elements = now.dy[i].elements();
                        repeat<vector>([&](index_t e) {
                            live_rows[s][i][e] = type_convert<Part>(elements[e]);
                        });
                    });
                    add(sum, live_rows, now, s);
                    if constexpr(Windows::moves)
                        rows[0] = rows[1];
                });
        }
    }

    /// Adds the products of rows of X and the rows of dY whose windows have them. step: of `period`
    /// steps, after which live rows have their places again.
    template <class LiveRows>
    CK_DEVICE CK_INLINE static void
    add(Sums& sum, const LiveRows& live_rows, const Rows& rows, index_t step)
    {
        repeat_in_place<taps_z * stride>([&](index_t number) {
            const index_t z = number / stride, j = number - z * stride;
            Vector<Part, vector> x[line];
            repeat<line>([&](index_t i) {
                const auto elements = rows.x[z][j][i].elements();
                repeat<vector>([&](index_t e) { x[i][e] = type_convert<Part>(elements[e]); });
            });
            repeat_in_place<live>([&](index_t age) {
                const index_t y = age * stride + j;
                if(y >= taps_y)
                    return;
                const auto& dy = live_rows[(step + period - age) % period];
                repeat_in_place<columns>([&](index_t i) {
                    repeat_in_place<taps_x>([&](index_t tap) {
                        repeat<vector>([&](index_t e) {
                            sum[z * taps_y + y][tap][e] += x[i * stride + tap][e] * dy[i][e];
                        });
                    });
                });
            });
        });
    }

    /// Adds up the threads' sums of a row of taps, and stores them as a partial sum or as dW.
    CK_DEVICE CK_INLINE static void store(const Params& p,
                                          const TileMap::Tile& tile,
                                          const SharedStorage& shared,
                                          index_t row,
                                          index_t first_group,
                                          index_t groups)
    {
        const WindowGeometry& g = p.geometry;
        const index_t count     = segment_threads(g.groups);
        for(index_t i = arch::thread_index(); i < taps_x * g.groups; i += block_size)
        {
            const index_t tap = i / g.groups, group = i - tap * g.groups;
            if(group >= groups)
                continue;
            Part sum{};
            for(index_t from = 0; from < count; ++from)
                sum += shared.sum[(tap * count + from) * g.groups + group];
            const long_index_t of_group = first_group + group;
            if(p.partial_sums.base != nullptr)
            {
                const long_index_t part =
                    long_index_t{tile.sub_batch} * p.tiles.splits.value + tile.split;
                static_cast<Part*>(
                    p.partial_sums.base)[part * p.partial_sums.partial +
                                         of_group * p.partial_sums.group + row * taps_x + tap] =
                    sum;
            }
            else
                p.operation_c(p.c[of_group * p.c_distance.group + (row / taps_y) * g.filter_plane +
                                  (row % taps_y) * g.filter_row + tap * g.filter_column],
                              sum);
        }
    }
};

} // namespace ck::grid
