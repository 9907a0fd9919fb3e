#pragma once
// Convolution of images of at most 4 or 8 channels, as a network's first layer has them. A block
// keeps the filters in LDS and computes tiles of C's pixels. Of each tile it copies the pixels of A
// that the windows have to LDS once, their channels filled up to 4 or 8 with zeros: there the
// pixels of a filter's row follow each other, so that a lane of mma.sync loads what it multiplies,
// 4 channels of a pixel, by one load of 8 bytes. Sums are stored from registers in vectors.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/sliding_window.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

namespace ck::grid {

/// What is wrong with a tuning of GridwiseFirstLayerConv; empty if nothing is.
constexpr const char* why_no_first_layer(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(i.requirement != arch::Requirement::mma_sync || arch::input_bytes(t.instruction) != 2)
        return "kernels of first layers multiply elements of two bytes by mma.sync";
    if(t.reduction != Reduction::by_tap)
        return "kernels of first layers go through the filter row by row";
    const Window& w = t.window;
    if((w.vector != 4 && w.vector != 8) || w.y <= 0 || w.columns <= 0)
        return "kernels of first layers fill pixels up to 4 or 8 channels, and have room for some "
               "rows of filters and pixels of A";
    if(t.block_tile.k % i.k != 0)
        return "a filter's row is a whole number of instructions";
    if((t.c_vector != 4 && t.c_vector != 8) || t.wave_n % (t.c_vector * 4) != 0)
        return "four lanes store a whole number of vectors of 4 or 8 channels of C";
    if((t.a_vector != 1 && t.a_vector != w.vector) || t.b_vector != 1)
        return "kernels of first layers load channels of A one by one or a pixel's together, and "
               "filters one by one";
    return nullptr;
}

/// Forward convolution; interface as GridwiseConv's. block_tile: m, pixels of a tile of C, n, its
/// channels, k, elements of a filter's row, filled up. window: vector, channels of a pixel in LDS;
/// y, rows of the filter at the most, those of its planes counted together; columns, pixels of A in
/// LDS at the most. Operands of one tensor, as they are in memory; no D tensors.
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

    /// An instruction: a lane has 4 values of each of two rows of A, 8 apart, and 2 neighbouring
    /// columns of these rows of C. k and columns are numbered anew: a lane's 4 values are channels
    /// of one pixel, and what it has of several instructions are neighbours in C.
    static constexpr index_t rows_of_cell = 16, k_of_step = 16, columns_of_tile = 8;
    static_assert(instruction_of(tuning).m == rows_of_cell &&
                  instruction_of(tuning).k == k_of_step &&
                  instruction_of(tuning).n == columns_of_tile &&
                  instruction_of(tuning).a_values == 8 && instruction_of(tuning).c_values == 4);
    static constexpr index_t quad   = 4; ///< lanes that share rows; a lane's values of a row of A
    static constexpr index_t filled = tuning.window.vector;
    static constexpr index_t quads  = filled / quad; ///< of a pixel
    static constexpr index_t cells  = tuning.wave_m / rows_of_cell;
    static constexpr index_t steps  = tuning.block_tile.k / k_of_step; ///< of a filter's row
    static constexpr index_t tiles  = tuning.wave_n / columns_of_tile;
    static constexpr index_t stores = tiles * 2 / tuning.c_vector; ///< of a row of C, of a lane
    static constexpr index_t block_tiles = tuning.block_tile.n / columns_of_tile;
    static constexpr index_t waves_m     = tuning.block_tile.m / tuning.wave_m;

    /// A dimension of an image: pixels of A between neighbours of C, and between the filter's taps.
    struct Walk
    {
        index_t taps, stride, dilation;
    };
    struct Params : ConvParams<Transform, Types>
    {
        WindowGeometry geometry; ///< its strips are tiles of C
        Walk z, y, x;
        index_t channels, columns;          ///< of A and C
        arch::offset_t b_column, b_channel; ///< elements of B from each one to the next
        index_t work;                       ///< tiles of a group, chunk and column tile
        index_t cells_x;                    ///< of a tile side by side, a power of 2
        Divisor halo_columns, halo_rows;    ///< pixels of A in the windows of a tile's plane
        index_t halo;                       ///< all of them
    };
    struct SharedStorage
    {
        arch::MatrixB<tuning.instruction> filter[tuning.window.y][steps][block_tiles][lanes];
        Vector<A, quad> halo[(tuning.window.columns + 1) * quads]; ///< behind a pixel of zeros
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const auto moved         = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.chunk * d.chunk;
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
            const Place place(p, work);
            if(place.image >= images)
                break;
            arch::block_sync(); // the tile before has been multiplied
            copy_halo(p, shared, in, place);
            arch::block_sync();
            arch::MatrixC<tuning.instruction> sum[cells][tiles]{};
            multiply(sum, p, shared);
            store(p, sum, out, place, first_column);
        }
    }

private:
    /// The place of a tile's first pixel of C.
    struct Place
    {
        index_t column, row, plane, image;

        CK_DEVICE CK_INLINE Place(const Params& p, index_t work)
        {
            const WindowGeometry& g = p.geometry;
            column                  = split_off(work, g.column_strips) * (p.cells_x * rows_of_cell);
            row                     = split_off(work, g.row_strips) * g.strip_rows;
            plane                   = split_off(work, g.planes);
            image                   = work;
        }
    };

    /// Copies the filters of a block's columns to LDS, as lanes multiply them, with zeros where
    /// there are none.
    template <class From>
    CK_DEVICE CK_INLINE static void
    copy_filters(const Params& p, SharedStorage& shared, const From* from, index_t first_column)
    {
        using B                  = arch::MatrixB<tuning.instruction>;
        constexpr index_t of_row = steps * block_tiles * lanes, together = 4;
        B* const to             = shared.filter[0][0][0];
        const WindowGeometry& g = p.geometry;
        const index_t columns = p.columns, count = p.z.taps * p.y.taps * of_row;
        for(index_t first = arch::thread_index(); first < count; first += together * block_size)
        {
            B filter[together];
            repeat<together>([&](index_t i) {
                const index_t at = first + i * block_size, row = at / of_row,
                              in_row = at - row * of_row, step = in_row / (block_tiles * lanes),
                              n = in_row / lanes % block_tiles, lane = in_row % lanes,
                              z = row / p.y.taps, y = row - z * p.y.taps,
                              chunk = step * quad + lane % quad, x = chunk / quads,
                              column  = first_column + column_of(n, lane / quad),
                              channel = chunk % quads * quad;
                const bool inside     = at < count && column < columns && x < p.x.taps;
                const index_t start   = inside ? g.filter_first + column * p.b_column +
                                                   z * g.filter_plane + y * g.filter_row +
                                                   x * g.filter_column
                                               : 0;
                // Each load is from a valid place: loads without branches wait together.
                repeat<quad>([&](index_t e) {
                    const bool exists = inside && channel + e < p.channels;
                    const From value  = from[start + (exists ? (channel + e) * p.b_channel : 0)];
                    filter[i][e]      = exists ? value : From{};
                });
            });
            repeat<together>([&](index_t i) {
                if(const index_t at = first + i * block_size; at < count)
                    to[at] = filter[i];
            });
        }
    }

    /// Copies the pixels that a tile's windows have, and zeros where they are outside of the image.
    CK_DEVICE CK_INLINE static void copy_halo(const Params& p,
                                              SharedStorage& shared,
                                              const arch::GlobalView<const A>& in,
                                              const Place& place)
    {
        constexpr index_t together = 4;
        const WindowGeometry& g    = p.geometry;
        const index_t first_column = place.column * p.x.stride + g.first_column,
                      first_row    = place.row * p.y.stride + g.first_row,
                      first_plane  = place.plane * p.z.stride + g.first_plane;
        const arch::offset_t image = window_bytes(place.image, g.a.image_bytes);
        for(index_t first = arch::thread_index(); first < p.halo; first += together * block_size)
        {
            Vector<A, filled> pixel[together];
            repeat<together>([&](index_t i) {
                const index_t number = first + i * block_size;
                index_t rest         = number;
                const index_t column = first_column + split_off(rest, p.halo_columns),
                              row    = first_row + split_off(rest, p.halo_rows),
                              plane  = first_plane + rest * p.z.dilation;
                const bool inside    = number < p.halo && column >= 0 && column < g.a.columns &&
                                    row >= 0 && row < g.a.rows && plane >= 0 && plane < g.a.planes;
                const arch::offset_t at = image + window_bytes(plane, g.a.plane_bytes) +
                                          window_bytes(row, g.a.row_bytes) +
                                          window_bytes(column, g.a.column_bytes);
                if constexpr(tuning.a_vector == filled)
                    pixel[i] = in.template load<filled>(inside ? at : arch::nowhere);
                else
                    repeat<filled>([&](index_t e) {
                        pixel[i][e] = in.template load<1>(
                            inside && e < p.channels ? at + window_bytes(e, g.a.channel_bytes)
                                                     : arch::nowhere)[0];
                    });
            });
            repeat<together>([&](index_t i) {
                const index_t number = first + i * block_size;
                if(number < p.halo)
                    repeat<quads>([&](index_t q) {
                        Vector<A, quad> part;
                        repeat<quad>([&](index_t e) { part[e] = pixel[i][q * quad + e]; });
                        shared.halo[(number + 1) * quads + q] = part;
                    });
            });
        }
    }

    template <class Sum>
    CK_DEVICE CK_INLINE static void multiply(Sum& sum, const Params& p, const SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), lane = thread % lanes, wave = thread / lanes,
                      chunk = lane % quad, lane_row = lane / quad,
                      first_tile = wave / waves_m * tiles, halo_pixels = p.halo_columns.value;
        // of a lane's pixel in the rows of each cell, behind the pixel of zeros
        index_t from[cells];
        repeat<cells>([&](index_t u) {
            const index_t cell = wave % waves_m * cells + u, row = cell / p.cells_x,
                          column = cell - row * p.cells_x;
            from[u]              = (1 + row * p.y.stride * halo_pixels +
                       (column * rows_of_cell + lane_row) * p.x.stride) *
                          quads +
                      chunk / quads * p.x.dilation * quads + chunk % quads;
        });
        const index_t half = 8 * p.x.stride * quads, step_quads = quad * p.x.dilation,
                      chunks = p.x.taps * quads;
        index_t filter_row   = 0;
        for(index_t z = 0; z < p.z.taps; ++z)
            for(index_t y = 0; y < p.y.taps; ++y, ++filter_row)
            {
                const index_t row =
                    (z * p.halo_rows.value + y * p.y.dilation) * halo_pixels * quads;
                repeat<steps>([&](index_t s) {
                    arch::MatrixB<tuning.instruction> b[tiles];
                    repeat<tiles>([&](index_t n) {
                        b[n] = shared.filter[filter_row][s][first_tile + n][lane];
                    });
                    // Behind a row's last tap are other pixels, which may be infinite.
                    const bool exists = s * quad + chunk < chunks;
                    repeat<cells>([&](index_t u) {
                        const index_t at = from[u] + row + s * step_quads;
                        Vector<A, quad> rows[2];
                        rows[0] = shared.halo[exists ? at : 0];
                        rows[1] = shared.halo[exists ? at + half : 0];
                        arch::MatrixA<tuning.instruction> a;
                        repeat<8>([&](index_t v) {
                            const auto to = instruction_of(tuning).a(0, v);
                            a[v]          = rows[to.row / 8][value_of(to.column)];
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
                                          const Place& place,
                                          index_t first_column)
    {
        const WindowGeometry& g = p.geometry;
        const index_t thread = arch::thread_index(), lane = thread % lanes, wave = thread / lanes,
                      number = lane % quad, lane_row = lane / quad, channels = p.columns;
        const arch::offset_t start =
            window_bytes(place.image, g.c.image_bytes) + window_bytes(place.plane, g.c.plane_bytes);
        repeat<cells>([&](index_t u) {
            const index_t cell = wave % waves_m * cells + u, cell_row = cell / p.cells_x,
                          row = place.row + cell_row;
            repeat<2>([&](index_t r) {
                const index_t column =
                    place.column + (cell - cell_row * p.cells_x) * rows_of_cell + r * 8 + lane_row;
                const bool inside       = row < g.c.rows && column < g.c.columns;
                const arch::offset_t at = start + window_bytes(row, g.c.row_bytes) +
                                          window_bytes(column, g.c.column_bytes);
                repeat<stores>([&](index_t i) {
                    const index_t channel = first_column + wave / waves_m * tuning.wave_n +
                                            (i * quad + number) * tuning.c_vector;
                    Vector<C, tuning.c_vector> result;
                    repeat<tuning.c_vector>([&](index_t e) {
                        p.operation_c(result[e],
                                      sum[u][i * tuning.c_vector / 2 + e / 2][r * 2 + e % 2]);
                    });
                    out.template store<tuning.c_vector>(
                        result,
                        inside && channel < channels
                            ? at + window_bytes(channel, index_t{sizeof(C)})
                            : arch::nowhere);
                });
            });
        });
    }

    /// Which of a lane's four values of a row an instruction's k is.
    CK_DEVICE CK_INLINE static constexpr index_t value_of(index_t k) { return k % 2 + k / 8 * 2; }
    /// The column of C at an instruction's. Lane `number` of four stores a vector, which is its
    /// columns of two or four instructions.
    CK_DEVICE CK_INLINE static constexpr index_t column_of(index_t tile, index_t n)
    {
        constexpr index_t shared = tuning.c_vector / 2; // instructions of a vector
        return (tile / shared * quad + n / 2) * tuning.c_vector + tile % shared * 2 + n % 2;
    }
};

} // namespace ck::grid
