#pragma once
// Convolution of images with at most 4 or 8 channels, as in a network's first layer. A
// block keeps the filters in LDS and computes tiles of C's pixels. For each tile it copies
// the pixels of A under the windows to LDS once, with channels padded to 4 or 8 by zeros.
// The pixels of a filter row are then contiguous, so a lane loads 4 channels of a pixel
// with one 8-byte load. Sums are stored from registers in vectors. If a filter row has at
// most 4, 8 or 16 elements, as in images of one channel, a pixel in LDS can hold a whole row
// of its window, and vertically adjacent pixels take the place of horizontally adjacent
// ones.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/halo.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseFirstLayerConv; empty if it is valid.
constexpr const char* why_no_first_layer(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(i.requirement == arch::Requirement::none || arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2 ||
       warp::loaded_pixels(t.instruction).of_each.values % 4 != 0)
        return "kernels of first layers multiply elements of two bytes by instructions whose lanes "
               "have 4 of a pixel, or several times 4";
    if(t.reduction != Reduction::by_tap || t.sliced.waves != 1)
        return "waves of first layers go through the filter row by row, each with pixels of its "
               "own";
    const Window& w = t.window;
    if((w.vector != 4 && w.vector != 8 && !(w.vector == 16 && w.whole_rows)) || w.y <= 0 ||
       w.columns <= 0)
        return "kernels of first layers fill pixels up to 4 or 8 channels, or 16 elements of a "
               "filter's row, and have room for some rows of filters and pixels of A";
    if(t.block_tile.k % i.k != 0)
        return "a filter's row is a whole number of instructions";
    if(!have_whole_vectors(warp::stored_pixels(t.instruction), t.wave_n, t.c_vector))
        return "the lanes that share a pixel store a whole number of vectors of C";
    if((t.a_vector != 1 && t.a_vector != w.vector) || t.b_vector != 1)
        return "kernels of first layers load channels of A one by one or a pixel's together, and "
               "filters one by one";
    if(w.whole_rows && t.a_vector != 1)
        return "kernels of first layers load the elements of a filter's row one by one";
    return nullptr;
}

/// Forward convolution; interface as GridwiseConv's. block_tile: m, pixels of a tile of C, n, its
/// channels, k, elements of a filter's row, padded. window: vector, channels of a pixel in LDS;
/// y, rows of the filter at the most, those of its planes counted together; columns, pixels of A in
/// LDS at the most; whole_rows: k, elements of all rows of a plane, padded; y, the filter's
/// planes at the most. Operands of one tensor, as they are in memory; no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseFirstLayerConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of kernels of first layers are single tensors");

    using A = typename Types::A;
    using C = typename Types::C;

    static constexpr index_t lanes                 = instruction_of(tuning).lanes;
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = instruction_of(tuning).requirement;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);

    /// In an instruction, a lane multiplies consecutive quads of the filter's row for a pixel of C.
    /// A quad is 4 channels of a pixel of A. Lanes that share the pixel of C multiply different
    /// quads.
    using Lanes                               = warp::PixelLanes<tuning.instruction>;
    static constexpr index_t rows_of_sub_tile = Lanes::pixels;
    static constexpr index_t quad = 4, of_lane = Lanes::in_values / quad,
                             sharing        = Lanes::in().parts;
    static constexpr bool whole_rows        = tuning.window.whole_rows;
    static constexpr index_t pixel_channels = tuning.window.vector;
    static constexpr index_t quads          = pixel_channels / quad; ///< quads of a pixel
    static constexpr index_t sub_tiles      = tuning.wave_m / rows_of_sub_tile;
    static constexpr index_t steps  = tuning.block_tile.k / Lanes::channels; ///< in a filter row
    static constexpr index_t tiles  = tuning.wave_n / Lanes::columns;
    static constexpr index_t stores = tiles * Lanes::out_values / tuning.c_vector; ///< per pixel
    static constexpr index_t block_tiles = tuning.block_tile.n / Lanes::columns;
    static constexpr index_t waves_m     = tuning.block_tile.m / tuning.wave_m;
    /// Lanes whose filters differ: by gfx11's WMMA, the first half of them.
    static constexpr index_t filter_lanes = Lanes::columns * sharing;

    /// Extra parameters for pixels that hold whole rows.
    struct WholeRows
    {
        RowElements<pixel_channels> elements;
        Divisor channels; ///< channels of A
    };
    struct Nothing
    {};
    struct Params : ConvParams<Transform, Types>
    {
        FirstLayerHalo halo;                ///< halo of A; windows are pixels of C
        index_t columns;                    ///< columns of C
        arch::offset_t b_column, b_channel; ///< elements of B from each one to the next
        index_t work;                       ///< tiles of a group, sub-batch and column tile
        index_t sub_tiles_x;                ///< sub-tiles side by side, a power of 2
        std::conditional_t<whole_rows, WholeRows, Nothing> rows;
    };
    struct SharedStorage
    {
        typename Lanes::Filters filter[tuning.window.y][steps][block_tiles][filter_lanes];
        Vector<A, quad> halo[(tuning.window.columns + 1) * quads]; ///< starts with a pixel of zeros
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const auto moved         = [&](auto base, const Distance& d) {
            return base + tile.sub_batch * d.sub_batch; // there is only one group
        };
        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        const index_t first_column = tile.column_tile * tuning.block_tile.n,
                      images       = p.images(tile);

        arch::wait_for_previous_kernel();
        copy_filters(p, shared, moved(p.b, p.b_distance), first_column);
        if(arch::thread_index() < quads)
            shared.halo[arch::thread_index()] = {};
        for(index_t work = tile.row_tile; work < p.work; work += p.tiles.row_tiles.value)
        {
            const FirstLayerHalo::Tile place = p.halo.tile(work);
            if(place.image >= images)
                break;
            arch::block_sync(); // the previous tile has been multiplied
            copy_halo(p, shared, in, place);
            arch::block_sync();
            typename Lanes::Sums sum[sub_tiles][tiles]{};
            multiply(sum, p, shared);
            store(p, sum, out, moved(p.c, p.c_distance), place, tile.group, first_column);
        }
    }

private:
    /// Number of contiguous taps in LDS, pixels between them, rows of such taps in a plane of the
    /// filter, and pixels between adjacent windows.
    CK_DEVICE CK_INLINE static index_t taps(const Params& p)
    {
        return whole_rows ? p.halo.y.taps : p.halo.x.taps;
    }
    CK_DEVICE CK_INLINE static index_t tap_step(const Params& p)
    {
        return whole_rows ? p.halo.y.dilation * p.halo.columns.value : p.halo.x.dilation;
    }
    CK_DEVICE CK_INLINE static index_t rows(const Params& p)
    {
        return whole_rows ? 1 : p.halo.y.taps;
    }
    CK_DEVICE CK_INLINE static index_t stride(const Params& p)
    {
        return whole_rows ? 1 : p.halo.x.stride;
    }

    /// Copies the filters of a block's columns to LDS in the order in which lanes multiply them,
    /// with zeros where there are none.
    template <class From>
    CK_DEVICE CK_INLINE static void
    copy_filters(const Params& p, SharedStorage& shared, const From* from, index_t first_column)
    {
        using B                    = typename Lanes::Filters;
        constexpr index_t of_row   = steps * block_tiles * filter_lanes,
                          together = math::max(4 / of_lane, 1);
        B* const to                = shared.filter[0][0][0];
        const WindowGeometry& g    = p.halo.geometry;
        const index_t columns = p.columns, count = p.halo.z.taps * rows(p) * of_row;
        for(index_t first = arch::thread_index(); first < count; first += together * block_size)
        {
            B filter[together];
            repeat<together>([&](index_t i) {
                const index_t at = first + i * block_size, row = at / of_row,
                              in_row = at - row * of_row,
                              step   = in_row / (block_tiles * filter_lanes),
                              n = in_row / filter_lanes % block_tiles, lane = in_row % filter_lanes,
                              z = row / rows(p), y = row - z * rows(p),
                              first_quad = (step * sharing + Lanes::filter_part(lane)) * of_lane,
                              column =
                                  first_column + Lanes::filter_column(lane, n, tuning.c_vector);
                const bool in_tensor       = (at < count) & (column < columns);
                const index_t start_of_row = in_tensor ? g.filter_first + column * p.b_column +
                                                             z * g.filter_plane + y * g.filter_row
                                                       : 0;
                // Each load is from a valid address: loads without branches are in flight together.
                repeat<of_lane>([&](index_t q) {
                    const index_t tap  = (first_quad + q) / quads,
                                  part = (first_quad + q) % quads * quad;
                    const bool inside  = in_tensor & (tap < taps(p));
                    const index_t start =
                        inside ? start_of_row + tap * (whole_rows ? g.filter_row : g.filter_column)
                               : 0;
                    repeat<quad>([&](index_t e) {
                        index_t x = 0, channel = part + e;
                        if constexpr(whole_rows)
                        {
                            x       = part + e;
                            channel = split_off(x, p.rows.channels);
                        }
                        const bool exists =
                            inside & (whole_rows ? x < p.halo.x.taps : channel < p.halo.channels);
                        const From value =
                            from[start +
                                 (exists ? x * g.filter_column + channel * p.b_channel : 0)];
                        filter[i][q * quad + e] = exists ? value : From{};
                    });
                });
            });
            repeat<together>([&](index_t i) {
                if(const index_t at = first + i * block_size; at < count)
                    to[at] = filter[i];
            });
        }
    }

    /// Copies the pixels under a tile's windows; zeros outside the image.
    CK_DEVICE CK_INLINE static void copy_halo(const Params& p,
                                              SharedStorage& shared,
                                              const arch::GlobalView<const A>& in,
                                              const FirstLayerHalo::Tile& place)
    {
        constexpr index_t together = 4;
        for(index_t first = arch::thread_index(); first < p.halo.pixels;
            first += together * block_size)
        {
            HaloPixels<A, pixel_channels, tuning.a_vector, together, block_size> pixels;
            if constexpr(whole_rows)
                pixels.load_rows(p.halo, p.rows.elements, in, place, first);
            else
                pixels.load(p.halo, in, place, first);
            pixels.store(shared.halo + quads, p.halo, first);
        }
    }

    template <class Sum>
    CK_DEVICE CK_INLINE static void multiply(Sum& sum, const Params& p, const SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), lane = thread % lanes, wave = thread / lanes,
                      first_quad = Lanes::in_part(lane) * of_lane,
                      first_tile = wave / waves_m * tiles, halo_pixels = p.halo.columns.value;
        // of a lane's pixel in the rows of each sub-tile, after the pixel of zeros
        index_t from[sub_tiles];
        repeat<sub_tiles>([&](index_t u) {
            const index_t sub_tile = wave % waves_m * sub_tiles + u, row = sub_tile / p.sub_tiles_x,
                          column = sub_tile - row * p.sub_tiles_x;
            from[u]              = (1 + row * p.halo.y.stride * halo_pixels +
                       (column * rows_of_sub_tile + Lanes::in_pixel(lane, 0)) * stride(p)) *
                          quads +
                      first_quad / quads * tap_step(p) * quads + first_quad % quads;
        });
        constexpr index_t pixel_step = warp::loaded_pixels(tuning.instruction).step;
        const index_t next           = pixel_step * stride(p) * quads, // between a lane's pixels
            step_quads = sharing * of_lane * tap_step(p), row_quads = taps(p) * quads;
        index_t filter_row = 0;
        for(index_t z = 0; z < p.halo.z.taps; ++z)
            for(index_t y = 0; y < rows(p); ++y, ++filter_row)
            {
                const Vector<A, quad>* const row =
                    shared.halo +
                    (z * p.halo.rows.value + y * p.halo.y.dilation) * halo_pixels * quads;
                repeat<steps>([&](index_t s) {
                    typename Lanes::Filters b[tiles];
                    repeat<tiles>([&](index_t n) {
                        b[n] = shared.filter[filter_row][s][first_tile + n][lane % filter_lanes];
                    });
                    repeat<sub_tiles>([&](index_t u) {
                        const Vector<A, quad>* const at = row + from[u] + s * step_quads;
                        Vector<A, quad> pixels[Lanes::in_pixels][of_lane];
                        repeat<of_lane>([&](index_t q) {
                            // After the last tap there are other pixels, which may be infinite.
                            const bool exists = s * sharing * of_lane + first_quad + q < row_quads;
                            const index_t tap = q / quads * quads * tap_step(p) + q % quads;
                            repeat<Lanes::in_pixels>([&](index_t r) {
                                pixels[r][q] = *(exists ? at + tap + r * next : shared.halo);
                            });
                        });
                        typename Lanes::Pixels a;
                        repeat<Lanes::Pixels::length>([&](index_t v) {
                            const index_t number = Lanes::number_of_value(v);
                            a[v] = pixels[Lanes::pixel_of_value(v)][number / quad][number % quad];
                        });
                        repeat<tiles>([&](index_t n) {
                            arch::multiply_accumulate<tuning.instruction>(a, b[n], sum[u][n]);
                        });
                    });
                });
            }
    }

    template <class Sum>
    CK_DEVICE CK_INLINE static void store(const Params& p,
                                          const Sum& sum,
                                          const arch::GlobalView<C>& out,
                                          [[maybe_unused]] const C* c,
                                          const FirstLayerHalo::Tile& place,
                                          [[maybe_unused]] index_t group,
                                          index_t first_column)
    {
        const WindowGeometry& g = p.halo.geometry;
        const index_t thread = arch::thread_index(), lane = thread % lanes, wave = thread / lanes,
                      channels           = p.columns;
        constexpr warp::PixelParts parts = Lanes::out();
        const arch::offset_t start =
            window_bytes(place.image, g.c.image_bytes) + window_bytes(place.plane, g.c.plane_bytes);
        repeat<sub_tiles>([&](index_t u) {
            const index_t sub_tile     = wave % waves_m * sub_tiles + u,
                          sub_tile_row = sub_tile / p.sub_tiles_x, row = place.row + sub_tile_row;
            repeat<Lanes::out_pixels>([&](index_t r) {
                const index_t column =
                    place.column + (sub_tile - sub_tile_row * p.sub_tiles_x) * rows_of_sub_tile +
                    Lanes::out_pixel(lane, r);
                const bool inside       = (row < g.c.rows) & (column < g.c.columns);
                const arch::offset_t at = start + window_bytes(row, g.c.row_bytes) +
                                          window_bytes(column, g.c.column_bytes);
                repeat<stores>([&](index_t i) {
                    const index_t channel =
                        first_column + wave / waves_m * tuning.wave_n +
                        parts.place(Lanes::out_part(lane), i * tuning.c_vector, tuning.c_vector);
                    Vector<typename arch::MatrixTypes<tuning.instruction>::Accumulator,
                           tuning.c_vector>
                        run;
                    repeat<tuning.c_vector>([&](index_t e) {
                        const index_t of_pixel = i * tuning.c_vector + e;
                        run[e]                 = sum[u][of_pixel / Lanes::out_values]
                                    [Lanes::sum(r, of_pixel % Lanes::out_values)];
                    });
                    const arch::offset_t of_vector =
                        (inside & (channel < channels))
                            ? at + window_bytes(channel, index_t{sizeof(C)})
                            : arch::nowhere;
                    if constexpr(has_epilogue)
                        if(p.epilogue.exists)
                            p.epilogue.apply(run,
                                             p.epilogue.template load<C, tuning.c_vector>(
                                                 group, channel, channels),
                                             [&] {
                                                 return p.epilogue.residuals(p.c, c)
                                                     .template load<tuning.c_vector>(of_vector);
                                             });
                    Vector<C, tuning.c_vector> result;
                    repeat<tuning.c_vector>([&](index_t e) { p.operation_c(result[e], run[e]); });
                    out.template store<tuning.c_vector>(result, of_vector);
                });
            });
        });
    }
};

} // namespace ck::grid
