#pragma once
// Backward weight of groups with one or few channels, and filters of any size, without matrix
// instructions. A thread keeps a piece of dW in registers: several channels of dY, a vector of
// channels of X (or of one-channel groups), and several adjacent taps. It walks along rows of dY,
// several pixels per step, and loads the matching pixels of X, which threads with other pieces then
// find in the cache. A block adds the sums of threads with the same piece in a fixed order and
// stores one partial sum.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/filter_distances.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseSmallGroupsWeightConv; empty if it is valid.
constexpr const char* why_no_small_groups_weight(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "kernels of small groups see groups as one, and have no matrix instruction";
    const Window& w = t.window;
    if(w.z != 1 || w.y != 0 || w.x < 1 || w.stride != 1 || w.columns <= 0 || w.vector <= 0)
        return "a thread of small groups has some columns, and some taps along them at once";
    if(t.a_vector != t.b_vector || t.c_vector != 1 || (t.a_vector > 1 && w.vector > 1))
        return "a thread of small groups loads vectors of as many channels, or groups, of X as of "
               "dY, and stores them one by one";
    if(t.wave_m % (t.a_vector * w.vector) != 0 || t.block_tile.n % t.wave_m != 0 ||
       (t.a_vector == 1 && t.wave_m != w.vector))
        return "a thread of small groups has whole vectors of channels of dY, or one of groups";
    return nullptr;
}

/// A = dY, B = X, C = dW, of groups that follow each other in memory. a_vector above 1: groups of
/// channels that are multiples of it; 1: of one channel, window.vector of them a thread. wave_m:
/// channels of dY of a thread; block_tile.n: of a block, the most. window: x, neighbouring taps of
/// a thread along a line of pixels, columns, pixels of a step; of several of both, neighbours in dY
/// are neighbours in X. Operands as they are in memory, multiplied and added as the instruction's
/// sums.
template <class Types, GemmTuning tuning>
struct GridwiseSmallGroupsWeightConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands of kernels of small groups are single tensors");

    using A    = typename Types::A;
    using B    = typename Types::B;
    using C    = typename Types::C;
    using Part = typename arch::MatrixTypes<tuning.instruction>::Accumulator;

    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr bool depthwise        = tuning.a_vector == 1;
    static constexpr index_t vector        = depthwise ? tuning.window.vector : tuning.a_vector;
    static constexpr index_t channels      = tuning.wave_m; ///< channels of dY per thread
    static constexpr index_t dy_vectors    = channels / vector;
    static constexpr index_t columns       = tuning.window.columns;    ///< columns of dY in a step
    static constexpr index_t taps          = tuning.window.x;          ///< taps of a thread
    static constexpr index_t line          = columns + taps - 1;       ///< pixels of X
    static constexpr bool neighbours       = taps > 1 && columns > 1;  ///< explained above
    static constexpr index_t sums          = depthwise ? 1 : channels; ///< vectors for each tap
    static constexpr index_t most_channels = tuning.block_tile.n;      ///< dY's, per block

    /// One dimension: pixel i of dY and tap t use pixel first + step * i + tap_step * t of X.
    struct Axis
    {
        index_t first, step, tap_step;
    };
    /// Lines of pixels are columns here, whichever dimension they lie along.
    struct Params : ConvParams<BackwardWeight, Types>
    {
        WindowGeometry::Image x, dy; ///< images with the channels of all groups
        Axis planes_of_x, rows_of_x, columns_of_x;
        FilterDistances dw, partial;
        Divisor out_channels;   ///< channels of dY in a group
        index_t in_channels;    ///< channels of X in a group
        index_t all_channels;   ///< channels of dY in all groups
        Divisor channel_blocks; ///< blocks for these
        Divisor lanes;          ///< pieces side by side, for the channels of dY of a block
        Divisor in_vectors;     ///< vectors of X's channels of a group
        Divisor taps_of_row, filter_rows;    ///< pieces along a row of taps, and these in a plane
        index_t last_tap;                    ///< taps of a row
        index_t pieces;                      ///< pieces of dW for the channels of a block
        Divisor block_pieces;                ///< pieces that a block computes
        index_t segment_threads;             ///< threads for each piece
        Divisor line_segments, rows, planes; ///< in dY: parts of a line, lines, planes
        index_t segment_pixels;              ///< pixels in a part of a line
        index_t segments_of_image;           ///< parts of lines
        index_t part_segments;               ///< segments of a partial sum; the last may have fewer
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    struct SharedStorage
    {
        Vector<Part, vector> sum[block_size];
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile     = p.tiles(arch::block_index());
        index_t tile_of_pieces       = tile.column_tile;
        const index_t block          = split_off(tile_of_pieces, p.channel_blocks),
                      thread         = arch::thread_index(),
                      segment_thread = quotient(thread, p.block_pieces),
                      of_block       = thread - segment_thread * p.block_pieces.value;
        const Piece piece(p, block, tile_of_pieces * p.block_pieces.value + of_block);
        const bool computes = piece.exists && segment_thread < p.segment_threads;
        Sum sum{};
        if(computes)
            accumulate(p, tile, piece, segment_thread, sum);
        repeat_in_place<taps>([&](index_t tap) {
            repeat_in_place<sums>([&](index_t number) {
                Vector<Part, vector> total = sum[tap][number];
                if(p.segment_threads > 1)
                {
                    shared.sum[thread] = total;
                    arch::block_sync();
                    if(segment_thread == 0)
                        for(index_t other = 1; other < p.segment_threads; ++other)
                        {
                            const auto more = shared.sum[other * p.block_pieces.value + of_block];
                            repeat<vector>([&](index_t e) { total[e] += more[e]; });
                        }
                    arch::block_sync();
                }
                if(computes && segment_thread == 0 && piece.tap + tap < p.last_tap)
                    store(p, tile, piece, tap, number, total);
            });
        });
    }

private:
    using Sum = Vector<Part, vector>[taps][sums];

    /// A thread's piece of dW.
    struct Piece
    {
        index_t out, in;         ///< first channel of dY; of X; of those of all groups
        index_t plane, row, tap; ///< place in the filter: the first tap of a row
        bool exists;

        CK_DEVICE CK_INLINE Piece(const Params& p, index_t block, index_t number)
        {
            exists = number < p.pieces;
            out    = block * most_channels + split_off(number, p.lanes) * channels;
            exists = exists && out < p.all_channels;
            in     = quotient(out, p.out_channels) * p.in_channels +
                 split_off(number, p.in_vectors) * vector;
            tap   = split_off(number, p.taps_of_row) * taps;
            row   = split_off(number, p.filter_rows);
            plane = number;
        }
    };

    /// Adds up every n-th segment of the block's part.
    CK_DEVICE CK_INLINE static void accumulate(const Params& p,
                                               const TileMap::Tile& tile,
                                               const Piece& piece,
                                               index_t segment_thread,
                                               Sum& sum)
    {
        const arch::GlobalView<const A> dy(p.a + tile.sub_batch * p.a_distance.sub_batch);
        const arch::GlobalView<const B> x(p.b + tile.sub_batch * p.b_distance.sub_batch);
        const index_t first = tile.split * p.part_segments,
                      last =
                          math::min(first + p.part_segments, p.images(tile) * p.segments_of_image);
        const auto meets = [](const Axis& w, index_t pixel, index_t tap) {
            return w.first + w.step * pixel + w.tap_step * tap;
        };
        for(index_t segment = first + segment_thread; segment < last; segment += p.segment_threads)
        {
            index_t image       = segment;
            const index_t start = split_off(image, p.line_segments) * p.segment_pixels,
                          row = split_off(image, p.rows), plane = split_off(image, p.planes),
                          end          = math::min(start + p.segment_pixels, p.dy.columns),
                          x_plane      = meets(p.planes_of_x, plane, piece.plane),
                          x_row        = meets(p.rows_of_x, row, piece.row);
            const arch::offset_t dy_at = window_bytes(image, p.dy.image_bytes) +
                                         window_bytes(piece.out, p.dy.channel_bytes) +
                                         window_bytes(plane, p.dy.plane_bytes) +
                                         window_bytes(row, p.dy.row_bytes);
            // Zeros of padding are multiplied, too.
            const bool inside =
                x_plane >= 0 && x_plane < p.x.planes && x_row >= 0 && x_row < p.x.rows;
            const arch::offset_t x_at = inside ? window_bytes(image, p.x.image_bytes) +
                                                     window_bytes(piece.in, p.x.channel_bytes) +
                                                     window_bytes(x_plane, p.x.plane_bytes) +
                                                     window_bytes(x_row, p.x.row_bytes)
                                               : arch::nowhere;
            for(index_t column = start; column < end; column += columns)
                add(sum,
                    p,
                    dy,
                    dy_at,
                    x,
                    x_at,
                    column,
                    end,
                    meets(p.columns_of_x, column, piece.tap));
        }
    }

    /// Adds the products of a step: pixels of dY from `column` on, before `end`. dy_at, x_at: bytes
    /// to the lines; pixel: of X, where the first column meets the first tap.
    CK_DEVICE CK_INLINE static void add(Sum& sum,
                                        const Params& p,
                                        const arch::GlobalView<const A>& dy,
                                        arch::offset_t dy_at,
                                        const arch::GlobalView<const B>& x,
                                        arch::offset_t x_at,
                                        index_t column,
                                        index_t end,
                                        index_t pixel)
    {
        const index_t step = neighbours ? 1
                             : taps > 1 ? p.columns_of_x.tap_step
                                        : p.columns_of_x.step;
        Vector<A, vector> dys[columns][dy_vectors];
        Vector<B, vector> xs[line];
        repeat<columns>([&](index_t i) {
            const arch::offset_t at = column + i < end
                                          ? dy_at + window_bytes(column + i, p.dy.column_bytes)
                                          : arch::nowhere;
            repeat<dy_vectors>([&](index_t v) {
                dys[i][v] =
                    dy.template load<vector>(at, window_bytes(v * vector, p.dy.channel_bytes));
            });
        });
        repeat<line>([&](index_t i) {
            const index_t at = pixel + i * step;
            xs[i]            = x.template load<vector>(at >= 0 && at < p.x.columns
                                                           ? x_at + window_bytes(at, p.x.column_bytes)
                                                           : arch::nowhere);
        });
        repeat_in_place<columns>([&](index_t i) {
            if(column + i >= end) // dY is not continued by zeros: X may be Inf
                return;
            repeat_in_place<taps>([&](index_t tap) {
                Vector<Part, vector> pixels;
                repeat<vector>([&](index_t e) { pixels[e] = type_convert<Part>(xs[i + tap][e]); });
                repeat<sums>([&](index_t number) {
                    repeat<vector>([&](index_t e) {
                        const index_t of_dy = depthwise ? e : number;
                        sum[tap][number][e] +=
                            type_convert<Part>(dys[i][of_dy / vector][of_dy % vector]) * pixels[e];
                    });
                });
            });
        });
    }

    /// Stores a vector of sums to a partial sum or to dW. tap, number: in the piece.
    CK_DEVICE CK_INLINE static void store(const Params& p,
                                          const TileMap::Tile& tile,
                                          const Piece& piece,
                                          index_t tap,
                                          index_t number,
                                          const Vector<Part, vector>& total)
    {
        const bool in_parts      = p.partial_sums.base != nullptr;
        const FilterDistances& d = in_parts ? p.partial : p.dw;
        repeat<vector>([&](index_t e) {
            const index_t out     = piece.out + (depthwise ? e : number),
                          group   = quotient(out, p.out_channels),
                          in      = depthwise ? 0 : piece.in + e - group * p.in_channels;
            const long_index_t at = group * d.group +
                                    long_index_t{out - group * p.out_channels.value} * d.out +
                                    d.to(piece.plane, piece.row, piece.tap + tap, in);
            if(in_parts)
            {
                const long_index_t part =
                    long_index_t{tile.sub_batch} * p.tiles.splits.value + tile.split;
                static_cast<Part*>(p.partial_sums.base)[part * p.partial_sums.partial + at] =
                    total[e];
            }
            else
                p.operation_c(p.c[at], total[e]);
        });
    }
};

} // namespace ck::grid
