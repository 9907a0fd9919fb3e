#pragma once
// Forward and backward data of groups with few channels, without a matrix instruction. A thread
// computes several adjacent channels of C, all in one group, for several adjacent pixels of a row.
// It loads A in vectors of channels, which the threads of a group share through the cache, and
// loops over the taps; the filters of the block's channels are in LDS. It does only the
// convolution's products: no zeros between groups, as in a GEMM of merged groups.
#include "ck/arch/index.hpp"
#include "ck/arch/memory.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/operator_transform/tap_maps.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Channels of C that a thread of a tuning computes.
constexpr index_t small_groups_channels(const GemmTuning& t)
{
    return t.wave_m * t.wave_n / (instruction_of(t).lanes * t.window.columns);
}

/// Says what is wrong with a tuning of GridwiseSmallGroupsConv; empty if it is valid.
constexpr const char* why_no_small_groups(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "kernels of small groups see groups as one, and have no matrix instruction";
    const Window& w = t.window;
    if(w.z != 1 || w.y != 0 || w.x < 1 || w.stride != 1 || w.columns <= 0 || w.vector != 1)
        return "a thread of small groups has some columns, and some taps along them at once";
    if(t.a_vector != t.b_vector || t.a_vector != t.c_vector)
        return "a thread of small groups loads and stores vectors of as many channels";
    if(const index_t channels = small_groups_channels(t);
       channels == 0 || channels % t.c_vector != 0 || t.block_tile.n % channels != 0 ||
       channels * w.columns * instruction_of(t).lanes != t.wave_m * t.wave_n)
        return "the threads of small groups share a wave tile in whole vectors of channels";
    if(t.block_tile.k < t.a_vector * w.x)
        return "LDS has the filters of small groups a vector of channels at a time";
    return nullptr;
}

/// Transform: MergedForward or MergedBackwardData. block_tile: n, the most channels of C in a
/// block; k, the most filter elements in LDS for each. window: x, the taps of a row that a thread
/// computes at once with A in registers; if it is more than 1, pixels adjacent in C must read
/// pixels adjacent in A. Operands are single tensors, converted to float (or kept as double); no D
/// tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseSmallGroupsConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of kernels of small groups are single tensors");

    using A    = typename Types::A;
    using B    = typename Types::B;
    using C    = typename Types::C;
    using Part = std::conditional_t<std::is_same_v<A, double>, double, float>;

    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);

    static constexpr index_t vector        = tuning.c_vector;               ///< channels
    static constexpr index_t channels      = small_groups_channels(tuning); ///< C's, per thread
    static constexpr index_t vectors       = channels / vector;
    static constexpr index_t columns       = tuning.window.columns; ///< columns of C per thread
    static constexpr index_t taps          = tuning.window.x;       ///< taps at once
    static constexpr index_t line          = columns + taps - 1;    ///< pixels of A
    static constexpr index_t held          = tuning.block_tile.k;
    static constexpr index_t most_channels = tuning.block_tile.n;        ///< C's, per block
    static constexpr index_t row_vectors   = most_channels / vector + 1; ///< filters in LDS

    struct Params : ConvParams<Transform, Types>
    {
        WindowGeometry::Image a_image, c_image;
        index_t filter_group, filter_in, filter_out; ///< elements from one to the next; in: of A
        index_t filter_plane, filter_row, filter_column; ///< elements from one to the next
        index_t in_channels;                             ///< channels of A in a group
        Divisor out_channels;                            ///< channels of C in a group
        index_t all_channels; ///< channels of C in groups computed as one
        Divisor column_tiles; ///< column tiles of all_channels
        Divisor lanes;        ///< threads side by side, for the channels of a block
        /// Vectors of channels along which filters lie in memory, for the piece in LDS: channels of
        /// A if the reduction is contiguous, otherwise of C.
        Divisor filter_vectors;
        index_t piece; ///< channels of A whose filters are in LDS, a whole number of vectors
        Divisor column_segments, rows, planes; ///< in an image, for the phase with the most
        index_t segments;                      ///< segments that a thread computes in turn
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    struct SharedStorage
    {
        /// [tap][channel of A][channel of C], rows padded by a vector: adjacent channels of A for
        /// one channel of C are in different banks.
        Vector<Part, vector> filter[held * row_vectors];
        TapMaps taps_of_phase; ///< maps of the phase: too many for registers
    };

    /// Segments of a block, each of `columns` pixels of C.
    CK_HOST_DEVICE static constexpr index_t block_segments(index_t lanes)
    {
        return block_size / lanes;
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const index_t group      = quotient(tile.column_tile, p.column_tiles),
                      first_channel =
                          (tile.column_tile - group * p.column_tiles.value) * most_channels;
        const auto moved = [&](auto base, const Distance& d) {
            return base + group * d.group + tile.sub_batch * d.sub_batch;
        };
        const B* const filters = moved(p.b, p.b_distance);
        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::GlobalView<C> out(moved(p.c, p.c_distance));

        const index_t thread = arch::thread_index(), number = quotient(thread, p.lanes),
                      lane        = thread - number * p.lanes.value,
                      channel     = first_channel + lane * channels,
                      segments    = block_segments(p.lanes.value);
        const bool exists         = number < segments && channel < p.all_channels;
        const arch::offset_t from = window_bytes(quotient(channel, p.out_channels) * p.in_channels,
                                                 p.a_image.channel_bytes);
        const Vector<Part, vector>* const filter = shared.filter + lane;
        if(thread == 0)
            shared.taps_of_phase = tap_maps(p.transform, tile.phase_index);
        arch::block_sync();
        const TapMaps& taps_of_phase = shared.taps_of_phase;
        for(index_t i = 0; i < p.segments; ++i)
        {
            const Segment segment(p, (tile.row_tile * p.segments + i) * segments + number);
            const bool computes = exists && segment.exists(taps_of_phase, p.images(tile));
            Sum sum[columns]{};
            for(index_t first = 0; first < p.in_channels; first += p.piece)
            {
                if(i == 0 || p.piece < p.in_channels)
                {
                    arch::block_sync(); // all threads have finished with the last filters
                    copy_filters(p, shared, filters, first_channel, first);
                    arch::block_sync();
                }
                if(computes)
                    add_planes(sum,
                               p,
                               in,
                               taps_of_phase,
                               segment,
                               from + window_bytes(first, p.a_image.channel_bytes),
                               filter,
                               math::min(p.piece, p.in_channels - first));
            }
            if(computes)
                store(
                    p, out, moved(p.c, p.c_distance), taps_of_phase, segment, group, channel, sum);
        }
    }

private:
    using Sum = Vector<Part, vector>[vectors];

    /// Adjacent pixels of a row of C: their position among the phase's pixels.
    struct Segment
    {
        index_t image, plane, row, column;

        CK_DEVICE CK_INLINE Segment(const Params& p, index_t number)
        {
            column = split_off(number, p.column_segments) * columns;
            row    = split_off(number, p.rows);
            plane  = split_off(number, p.planes);
            image  = number;
        }
        CK_DEVICE CK_INLINE bool exists(const TapMaps& w, index_t images) const
        {
            return image < images && plane < w.z.count && row < w.y.count && column < w.x.count;
        }
    };

    /// Copies filters to LDS: for the block's channels of C from first_channel on, all taps, and
    /// the channels of A from `first` on that fit.
    CK_DEVICE CK_INLINE static void copy_filters(const Params& p,
                                                 SharedStorage& shared,
                                                 const B* filters,
                                                 index_t first_channel,
                                                 index_t first)
    {
        constexpr bool along_in = Transform::b_along_k;
        const TapMaps& w        = shared.taps_of_phase;
        const index_t last      = math::min(first + p.piece, p.in_channels),
                      count_out = math::min(most_channels, p.all_channels - first_channel),
                      taps_all  = w.z.taps.value * w.y.taps.value * w.x.taps.value,
                      lines     = along_in ? count_out : last - first;
        for(index_t i = arch::thread_index(); i < p.filter_vectors.value * taps_all * lines;
            i += block_size)
        {
            index_t rest        = i;
            const index_t along = split_off(rest, p.filter_vectors) * vector;
            const index_t x = split_off(rest, w.x.taps), y = split_off(rest, w.y.taps),
                          z      = split_off(rest, w.z.taps);
            const index_t tap    = (z * w.y.taps.value + y) * w.x.taps.value + x;
            const index_t in     = first + (along_in ? along : rest);
            const index_t number = along_in ? rest : along; // channel of C within the block
            if(in >= last || number >= count_out)
                continue;
            const index_t channel = first_channel + number,
                          group   = quotient(channel, p.out_channels);
            const auto values     = arch::read_whole<Vector<B, vector>>(
                filters + group * p.filter_group +
                (channel - group * p.out_channels.value) * p.filter_out + in * p.filter_in +
                (w.z.filter_first + z * w.z.filter_step) * p.filter_plane +
                (w.y.filter_first + y * w.y.filter_step) * p.filter_row +
                (w.x.filter_first + x * w.x.filter_step) * p.filter_column);
            const index_t row = tap * p.piece + in - first;
            if constexpr(along_in)
                repeat<vector>([&](index_t e) {
                    shared.filter[(row + e) * row_vectors + place(p, number)][number % vector] =
                        type_convert<Part>(values[e]);
                });
            else
            {
                Vector<Part, vector> converted;
                repeat<vector>([&](index_t e) { converted[e] = type_convert<Part>(values[e]); });
                shared.filter[row * row_vectors + place(p, number)] = converted;
            }
        }
    }

    /// The vector of an LDS row that holds a channel of C. The first vectors of all threads come
    /// first: threads read adjacent vectors at a time.
    CK_DEVICE CK_INLINE static index_t place(const Params& p, index_t channel)
    {
        const index_t number = channel / vector;
        return number % vectors * p.lanes.value + number / vectors;
    }

    /// Adds the products of all taps with a piece of A's channels. from: byte offset of these.
    CK_DEVICE CK_INLINE static void add_planes(Sum (&sum)[columns],
                                               const Params& p,
                                               const arch::GlobalView<const A>& in,
                                               const TapMaps& w,
                                               const Segment& segment,
                                               arch::offset_t from,
                                               const Vector<Part, vector>* filter,
                                               index_t in_channels)
    {
        const arch::offset_t image = from + window_bytes(segment.image, p.a_image.image_bytes);
        const index_t column       = w.x.first + segment.column * w.x.step;
        for(index_t z = 0; z < w.z.taps.value; ++z)
        {
            const index_t plane           = w.z.first + segment.plane * w.z.step + z * w.z.tap_step;
            const bool has_plane          = plane >= 0 && plane < p.a_image.planes;
            const arch::offset_t of_plane = image + window_bytes(plane, p.a_image.plane_bytes);
            for(index_t y = 0; y < w.y.taps.value; ++y)
            {
                const index_t row = w.y.first + segment.row * w.y.step + y * w.y.tap_step;
                const bool inside = has_plane && row >= 0 && row < p.a_image.rows;
                add_row(sum,
                        p,
                        in,
                        w.x,
                        inside ? of_plane + window_bytes(row, p.a_image.row_bytes) : arch::nowhere,
                        column,
                        filter + (z * w.y.taps.value + y) * w.x.taps.value * p.piece * row_vectors,
                        in_channels);
            }
        }
    }

    /// The same for a row of taps. at: byte offset of A's row, or nowhere: then zeros are
    /// multiplied, as for any padding. column: of A, at the first tap.
    CK_DEVICE CK_INLINE static void add_row(Sum (&sum)[columns],
                                            const Params& p,
                                            const arch::GlobalView<const A>& in,
                                            const TapMap& w,
                                            arch::offset_t at,
                                            index_t column,
                                            const Vector<Part, vector>* filter,
                                            index_t in_channels)
    {
        const index_t step = taps > 1 ? 1 : w.step;
        for(index_t x = 0; x < w.taps.value; x += taps)
        {
            arch::offset_t places[line];
            repeat<line>([&](index_t i) {
                const index_t pixel = column + x * w.tap_step + i * step;
                places[i]           = pixel >= 0 && pixel < p.a_image.columns
                                          ? at + window_bytes(pixel, p.a_image.column_bytes)
                                          : arch::nowhere;
            });
            for(index_t c = 0; c < in_channels; c += vector)
            {
                Vector<A, vector> a[line];
                repeat<line>([&](index_t i) {
                    a[i] = in.template load<vector>(places[i],
                                                    window_bytes(c, p.a_image.channel_bytes));
                });
                repeat_in_place<taps>([&](index_t t) {
                    const Vector<Part, vector>* const of_tap =
                        filter + ((x + t) * p.piece + c) * row_vectors;
                    repeat<vector>([&](index_t e) {
                        repeat<vectors>([&](index_t v) {
                            const auto weights = arch::read_whole<Vector<Part, vector>>(
                                of_tap + e * row_vectors + v * p.lanes.value);
                            repeat<columns>([&](index_t i) {
                                const auto value = type_convert<Part>(a[i + t][e]);
                                repeat<vector>(
                                    [&](index_t k) { sum[i][v][k] += value * weights[k]; });
                            });
                        });
                    });
                });
            }
        }
    }

    CK_DEVICE CK_INLINE static void store(const Params& p,
                                          const arch::GlobalView<C>& out,
                                          [[maybe_unused]] const C* c,
                                          const TapMaps& w,
                                          const Segment& segment,
                                          [[maybe_unused]] index_t group,
                                          index_t channel,
                                          Sum (&sum)[columns])
    {
        const auto bytes = [](const TapMap& map, index_t number, index_t each) {
            return window_bytes(map.c_first + map.c_step * number, each);
        };
        const arch::offset_t to = window_bytes(segment.image, p.c_image.image_bytes) +
                                  bytes(w.z, segment.plane, p.c_image.plane_bytes) +
                                  bytes(w.y, segment.row, p.c_image.row_bytes) +
                                  window_bytes(channel, p.c_image.channel_bytes);
        const auto place = [&](index_t i, index_t v) {
            const index_t column = segment.column + i;
            return column < w.x.count ? to + bytes(w.x, column, p.c_image.column_bytes) +
                                            window_bytes(v * vector, p.c_image.channel_bytes)
                                      : arch::nowhere;
        };
        if constexpr(has_epilogue)
            repeat<vectors>([&](index_t v) {
                const auto biases = p.epilogue.template load<C, vector>(
                    group, channel + v * vector, p.all_channels);
                const auto residuals = p.epilogue.residuals(p.c, c);
                repeat<columns>([&](index_t i) {
                    p.epilogue.apply(sum[i][v], biases, [&] {
                        return residuals.template load<vector>(place(i, v));
                    });
                });
            });
        repeat<columns>([&](index_t i) {
            repeat<vectors>([&](index_t v) {
                Vector<C, vector> result;
                repeat<vector>([&](index_t k) { p.operation_c(result[k], sum[i][v][k]); });
                out.template store<vector>(result, place(i, v));
            });
        });
    }
};

} // namespace ck::grid
