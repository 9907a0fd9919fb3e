#pragma once
// Forward and backward data of many small groups by MFMA. A block takes a line of adjacent channels
// of whole groups and keeps their filters in LDS in the order in which lanes multiply them. It
// loops over tiles of C's pixels: it copies the pixels of A under the tile's windows to LDS once,
// multiplies channel slices of the line tap by tap, and stores the sums through the same LDS, so
// that adjacent threads store adjacent elements. Zero weights separate groups that share a channel
// slice.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/own_group.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseChannelSliceWindowConv; empty if it is valid.
constexpr const char* why_no_channel_slice_windows(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(!arch::is_mfma(i.requirement) || arch::input_bytes(t.instruction) != 2 || i.m != 16 ||
       i.k != 16)
        return "channel-slice windows are of elements of two bytes, multiplied by MFMA 16x16x16";
    if(t.reduction != Reduction::merged || t.merged_groups != 0)
        return "the groups of a line are merged, as many as there are";
    if(t.wave_n != t.block_tile.n)
        return "a wave of channel-slice windows has all channels of its pixels";
    if(t.block_tile.k % i.k != 0 || t.block_tile.n % t.block_tile.k != 0)
        return "a channel slice, block_tile.k, is a whole number of instructions deep, and a line "
               "has whole "
               "channel slices";
    if(t.a_vector != 8 || t.b_vector != 1 || t.c_vector != 8)
        return "lines of channel-slice windows are copied and stored in vectors of 8 channels, "
               "filters are "
               "loaded one by one";
    if((t.block_tile.m & (t.block_tile.m - 1)) != 0 || t.wave_m * t.wave_n % (64 * 8) != 0)
        return "a tile of channel-slice windows has a power of 2 of pixels, of which each thread "
               "stores as "
               "many vectors";
    if(t.window.y <= 0 || t.window.columns < t.block_tile.m)
        return "channel-slice windows have room for some taps, and for the pixels of a tile at "
               "least";
    return nullptr;
}

/// Interface as GridwiseConv's. Transform: MergedForward or MergedBackwardData with strides of 1.
/// block_tile: m, pixels of a tile of C; n, channels of a line; k, channels of a channel slice.
/// window: y, the most filter taps; columns, the most pixels of A in LDS. Operands are single
/// tensors, as they are in memory; no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseChannelSliceWindowConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of channel-slice windows are single tensors");

    using A = typename Types::A;
    using B = typename Types::B;
    using C = typename Types::C;
    static_assert(std::is_same_v<A, B> && std::is_same_v<A, C>,
                  "a tile's pixels of A and of C share LDS");

    static constexpr index_t lanes                 = instruction_of(tuning).lanes;
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = instruction_of(tuning).requirement;

    static constexpr index_t size          = instruction_of(tuning).m; ///< pixels, or channels
    static constexpr index_t sub_tiles     = tuning.wave_m / size;     ///< in a wave's pixels
    static constexpr index_t tiles         = tuning.wave_n / size;     ///< in the line's channels
    static constexpr index_t channel_slice = tuning.block_tile.k;
    static constexpr index_t depth         = instruction_of(tuning).k;
    static constexpr index_t steps  = channel_slice / depth; ///< per tap and 16 channels of C
    static constexpr index_t pixels = tuning.block_tile.m;
    /// Pixels are the instruction's second operand: a lane has 4 adjacent channels of one pixel of
    /// A and of one pixel of C.
    using Wave        = warp::WaveGemm<tuning.instruction, sub_tiles, tiles>;
    using Accumulator = typename Wave::Accumulator;
    using Filters     = arch::MatrixA<tuning.instruction>;
    using Pixels      = arch::MatrixB<tuning.instruction>;
    static_assert(Wave::swapped);
    static constexpr index_t quad = Pixels::length;
    static_assert(quad == 4 && Wave::run == quad);
    static constexpr index_t vector = tuning.a_vector; ///< channels that a thread copies
    static constexpr index_t packs  = tuning.block_tile.n / vector;
    /// Distance between pixels in LDS, in quads. It is odd, so that 16 adjacent pixels are in
    /// different banks.
    static constexpr index_t pitch = tuning.block_tile.n / quad + 1;
    static_assert(pitch % 2 == 1 && block_size % packs == 0);

    /// A dimension of the filter: its taps, and the distance between them in pixels of A.
    struct Axis
    {
        Divisor taps;
        index_t dilation;
    };
    struct Params : ConvParams<Transform, Types>
    {
        WindowGeometry geometry; ///< geometry whose segments are tiles of C
        Axis z, y, x;
        index_t filter_out,
            filter_in;    ///< elements of B from one channel of C, or of A, to the next
        Divisor channels; ///< channels of a group
        index_t line;     ///< channels of a block's groups
        index_t work;     ///< tiles of a line and sub-batch
        Divisor width;    ///< width of a tile, a power of 2
        Divisor halo_columns, halo_rows; ///< pixels of A in the windows of a tile's plane
        index_t halo;                    ///< pixels of all planes
    };
    struct SharedStorage
    {
        Filters filter[tuning.window.y][tiles][steps][lanes];
        Vector<A, quad> pixel[tuning.window.columns * pitch];
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const index_t line       = tile.column_tile; // neighbouring blocks share pixels
        const auto moved         = [&](auto base, const Distance& d) {
            return base + line * d.group + tile.sub_batch * d.sub_batch;
        };
        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        const index_t images = p.images(tile), lane = arch::thread_index() % lanes,
                      first_pixel = arch::thread_index() / lanes * tuning.wave_m;

        Copied copied[copies];
        repeat<copies>([&](index_t i) { copied[i].set(p, i); });
        Stored stored[stores];
        repeat<stores>([&](index_t i) { stored[i].set(p, i); });
        index_t from[sub_tiles];
        repeat<sub_tiles>([&](index_t u) { from[u] = quad_of(p, lane, first_pixel + u * size); });

        Loaded loaded;
        load_tile(loaded, p, in, tile.row_tile, images, copied);
        copy_filters(p, shared, moved(p.b, p.b_distance));
        // Each step reads its parameters again: all of them at once would take more scalar
        // registers than gfx90a has.
        const auto now = [&]() -> const Params& { return *arch::constant_uniform(&p); };
        for(index_t work = tile.row_tile; work < p.work; work += p.tiles.row_tiles.value)
        {
            const WindowSegment place(p.geometry, work, p.width.value);
            if(place.image >= images)
                break;
            arch::block_sync(); // the previous tile has been stored
            put(loaded, now(), shared);
            arch::block_sync();
            // The next tile's pixels are loaded while this one is multiplied.
            load_tile(loaded, now(), in, work + p.tiles.row_tiles.value, images, copied);
            Wave wave;
            wave.clear();
            multiply(wave, now(), shared, lane, from);
            if(p.channels.value < channel_slice)
                add_up_again(wave, now(), shared, lane, first_pixel);
            arch::block_sync(); // pixels of A have been read
            store(wave, now(), shared, out, place, stored, lane, first_pixel);
        }
    }

private:
    static constexpr index_t copies =
        math::integer_divide_ceil(tuning.window.columns * packs, block_size); ///< per thread
    static constexpr index_t stores = pixels * packs / block_size;

    /// Position of pixel `number` in a tile.
    struct InTile
    {
        index_t column, row;

        CK_DEVICE CK_INLINE InTile(const Params& p, index_t number) : row(quotient(number, p.width))
        {
            column = number - row * p.width.value;
        }
    };

    /// Position of the 8 channels that a thread copies in a tile's windows, the same for all tiles.
    struct Copied
    {
        index_t column, row, plane; ///< in A; column: far outside if there is none
        arch::offset_t offset;

        CK_DEVICE CK_INLINE void set(const Params& p, index_t number)
        {
            const WindowGeometry& g = p.geometry;
            const index_t at = arch::thread_index() + number * block_size, pack = at % packs;
            index_t rest = at / packs;
            column       = g.first_column + split_off(rest, p.halo_columns);
            row          = g.first_row + split_off(rest, p.halo_rows);
            plane        = g.first_plane + rest * p.z.dilation;
            offset = window_bytes(column, g.a.column_bytes) + window_bytes(row, g.a.row_bytes) +
                     window_bytes(plane, g.a.plane_bytes) +
                     window_bytes(pack, vector * index_t{sizeof(A)});
            column = pack * vector < p.line ? column : -(1 << 30);
        }
    };

    /// Position of the 8 channels that a thread stores in a tile of C.
    struct Stored
    {
        index_t column, row; ///< column: far outside if there are none
        arch::offset_t offset;

        CK_DEVICE CK_INLINE void set(const Params& p, index_t number)
        {
            const WindowGeometry& g = p.geometry;
            const index_t at = arch::thread_index() + number * block_size, pack = at % packs;
            const InTile place(p, at / packs);
            column = place.column;
            row    = place.row;
            offset = window_bytes(column, g.c.column_bytes) + window_bytes(row, g.c.row_bytes) +
                     window_bytes(pack, vector * index_t{sizeof(C)});
            column = pack * vector < p.line ? column : 1 << 30;
        }
    };

    /// The quad of LDS that a lane multiplies first for the 16 pixels from `first` on.
    CK_DEVICE CK_INLINE static index_t quad_of(const Params& p, index_t lane, index_t first)
    {
        const auto at = instruction_of(tuning).b(lane, 0);
        const InTile place(p, first + at.row);
        return (place.row * p.halo_columns.value + place.column) * pitch + at.column / quad;
    }

    /// Copies the filters of the line to LDS, with zeros between groups.
    CK_DEVICE CK_INLINE static void
    copy_filters(const Params& p, SharedStorage& shared, const B* from)
    {
        constexpr index_t of_tap = tiles * steps * lanes, together = 4;
        Filters* const to       = shared.filter[0][0][0];
        const WindowGeometry& g = p.geometry;
        const index_t count     = p.z.taps.value * p.y.taps.value * p.x.taps.value * of_tap;
        for(index_t first = arch::thread_index(); first < count; first += together * block_size)
        {
            Filters filter[together];
            repeat<together>([&](index_t i) {
                const index_t at = first + i * block_size, lane = at % lanes;
                index_t tap        = at / of_tap;
                const auto place   = instruction_of(tuning).a(lane, 0);
                const index_t tile = at / (lanes * steps) % tiles, step = at / lanes % steps,
                              column = tile * size + place.row, // the channel of C
                    row              = tile * size / channel_slice * channel_slice + step * depth +
                          place.column, // a channel of A
                    group = quotient(column, p.channels), begin = group * p.channels.value,
                              x = split_off(tap, p.x.taps), y = split_off(tap, p.y.taps);
                const bool inside   = (at < count) & (column < p.line);
                const index_t start = g.filter_first + group * g.filter_group +
                                      (column - begin) * p.filter_out + tap * g.filter_plane +
                                      y * g.filter_row + x * g.filter_column;
                // Every load is valid: loads without branches are in flight together.
                repeat<quad>([&](index_t e) {
                    const index_t channel = row + e - begin;
                    const bool exists     = inside & (channel >= 0) & (channel < p.channels.value);
                    const B value         = from[exists ? start + channel * p.filter_in : 0];
                    filter[i][e]          = exists ? value : B{};
                });
            });
            repeat<together>([&](index_t i) {
                if(const index_t at = first + i * block_size; at < count)
                    to[at] = filter[i];
            });
        }
    }

    using Loaded = Vector<A, vector>[copies];

    /// Loads the pixels under a tile's windows; zeros outside the image or if there is no such
    /// tile.
    CK_DEVICE CK_INLINE static void load_tile(Loaded& loaded,
                                              const Params& p,
                                              const arch::GlobalView<const A>& in,
                                              index_t work,
                                              index_t images,
                                              const Copied (&copied)[copies])
    {
        const WindowGeometry& g = p.geometry;
        const WindowSegment place(g, work, p.width.value);
        const auto in_range = [](index_t at, index_t length) {
            return static_cast<std::uint32_t>(at) < static_cast<std::uint32_t>(length);
        };
        const arch::offset_t start = window_bytes(place.image, g.a.image_bytes) +
                                     window_bytes(place.plane, g.a.plane_bytes) +
                                     window_bytes(place.row, g.a.row_bytes) +
                                     window_bytes(place.column, g.a.column_bytes);
        const index_t columns = place.image < images ? g.a.columns : 0;
        repeat<copies>([&](index_t i) {
            const bool x = in_range(place.column + copied[i].column, columns),
                       y = in_range(place.row + copied[i].row, g.a.rows),
                       z = in_range(place.plane + copied[i].plane, g.a.planes);
            loaded[i] =
                in.template load<vector>((x & y & z) ? start + copied[i].offset : arch::nowhere);
        });
    }
    /// Stores the loaded pixels to LDS.
    CK_DEVICE CK_INLINE static void
    put(const Loaded& loaded, const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index();
        repeat<copies>([&](index_t i) {
            if(const index_t at = thread + i * block_size; at < p.halo * packs)
                repeat<vector / quad>([&](index_t h) {
                    Vector<A, quad> part;
                    repeat<quad>([&](index_t e) { part[e] = loaded[i][h * quad + e]; });
                    shared.pixel[in_line(at) + h] = part;
                });
        });
    }
    /// The quad of LDS where pack `at` of a tile's pixels begins.
    CK_DEVICE CK_INLINE static index_t in_line(index_t at)
    {
        return at * (vector / quad) + at / packs; // pitch: one more than those of a pixel's packs
    }

    CK_DEVICE CK_INLINE static void multiply(Wave& wave,
                                             const Params& p,
                                             const SharedStorage& shared,
                                             index_t lane,
                                             const index_t (&from)[sub_tiles])
    {
        const Filters* filter = &shared.filter[0][0][0][lane];
        for(index_t z = 0; z < p.z.taps.value; ++z)
            for(index_t y = 0; y < p.y.taps.value; ++y)
            {
                const Vector<A, quad>* at =
                    shared.pixel +
                    (z * p.halo_rows.value + y * p.y.dilation) * p.halo_columns.value * pitch;
                for(index_t x = 0; x < p.x.taps.value; ++x)
                {
                    Filters f[tiles][steps];
                    repeat<tiles>([&](index_t n) {
                        repeat<steps>(
                            [&](index_t s) { f[n][s] = filter[(n * steps + s) * lanes]; });
                    });
                    repeat<sub_tiles>([&](index_t u) {
                        repeat<tiles>([&](index_t n) {
                            repeat<steps>([&](index_t s) {
                                const index_t channel =
                                    n * size / channel_slice * channel_slice + s * depth;
                                const Pixels b = at[from[u] + channel / quad];
                                arch::multiply_accumulate<Wave::executed>(f[n][s], b, wave.c[u][n]);
                            });
                        });
                    });
                    filter += tiles * steps * lanes;
                    at += p.x.dilation * pitch;
                }
            }
    }

    /// See own_group.hpp. Pixels and filters are in LDS.
    CK_DEVICE CK_INLINE static void add_up_again(
        Wave& wave, const Params& p, const SharedStorage& shared, index_t lane, index_t first_pixel)
    {
        replace_not_finite(wave, lane, [&](index_t row, index_t column) {
            const InTile place(p, first_pixel + row);
            const A* const of_pixel = reinterpret_cast<const A*>(
                shared.pixel + (place.row * p.halo_columns.value + place.column) * pitch);
            const index_t begin = quotient(column, p.channels) * p.channels.value;
            Accumulator sum     = 0;
            index_t tap         = 0;
            for(index_t z = 0; z < p.z.taps.value; ++z)
                for(index_t y = 0; y < p.y.taps.value; ++y)
                    for(index_t x = 0; x < p.x.taps.value; ++x, ++tap)
                    {
                        const index_t pixel =
                            (z * p.halo_rows.value + y * p.y.dilation) * p.halo_columns.value +
                            x * p.x.dilation;
                        CK_NOT_UNROLLED
                        for(index_t channel = begin;
                            channel < begin + p.channels.value && !math::isnan(sum);
                            ++channel)
                            sum +=
                                type_convert<Accumulator>(
                                    of_pixel[pixel * pitch * quad + channel]) *
                                type_convert<Accumulator>(filter_at(shared, tap, column, channel));
                    }
            return sum;
        });
    }
    /// The filter element for a channel of C and one of A in the same channel slice.
    CK_DEVICE CK_INLINE static A
    filter_at(const SharedStorage& shared, index_t tap, index_t column, index_t channel)
    {
        const index_t in_channel_slice = channel % channel_slice, k = in_channel_slice % depth;
        return reinterpret_cast<const A*>(
            &shared.filter[tap][column / size][in_channel_slice / depth]
                          [column % size + k / quad * size])[k % quad];
    }

    CK_DEVICE CK_INLINE static void store(const Wave& wave,
                                          const Params& p,
                                          SharedStorage& shared,
                                          const arch::GlobalView<C>& out,
                                          const WindowSegment& place,
                                          const Stored (&stored)[stores],
                                          index_t lane,
                                          index_t first_pixel)
    {
        const WindowGeometry& g = p.geometry;
        const auto at           = Wave::coordinate(lane, 0);
        Vector<C, quad>* const to =
            shared.pixel + (first_pixel + at.m) * pitch + at.n / quad; // for the lane's first sums
        repeat<sub_tiles>([&](index_t u) {
            repeat<tiles>([&](index_t n) {
                Vector<C, quad> result;
                repeat<quad>([&](index_t e) { p.operation_c(result[e], wave.c[u][n][e]); });
                to[u * size * pitch + n * (size / quad)] = result;
            });
        });
        arch::block_sync();
        const arch::offset_t start = window_bytes(place.image, g.c.image_bytes) +
                                     window_bytes(place.plane, g.c.plane_bytes) +
                                     window_bytes(place.row, g.c.row_bytes) +
                                     window_bytes(place.column, g.c.column_bytes);
        const index_t thread = arch::thread_index();
        repeat<stores>([&](index_t i) {
            const index_t number = thread + i * block_size;
            Vector<C, vector> result;
            repeat<vector / quad>([&](index_t h) {
                const Vector<C, quad> part = shared.pixel[in_line(number) + h];
                repeat<quad>([&](index_t e) { result[h * quad + e] = part[e]; });
            });
            const bool inside = (place.row + stored[i].row < g.c.rows) &
                                (place.column + stored[i].column < g.c.columns);
            out.template store<vector>(result, inside ? start + stored[i].offset : arch::nowhere);
        });
    }
};

} // namespace ck::grid
