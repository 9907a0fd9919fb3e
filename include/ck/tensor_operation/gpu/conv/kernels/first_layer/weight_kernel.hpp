#pragma once
// Backward weight of images with at most 4 or 8 channels, as in a network's first layer. A block
// loops over tiles of dY's pixels. It copies their channels to LDS, and the pixels of X under their
// windows, once for all taps. 16 bytes of X in LDS are a pack: the channels of one tap or of two
// adjacent taps. Waves read both transposed, by ldmatrix, and keep their sums through all tiles.
// The next tile is loaded meanwhile.
#include "ck/arch/index.hpp"
#include "ck/arch/local.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/channel_slice_geometry/channel_slice.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/halo.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/filter_distances.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseFirstLayerWeightConv; empty if it is valid.
constexpr const char* why_no_first_layer_weight(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(i.requirement != arch::Requirement::mma_sync || arch::input_bytes(t.instruction) != 2 ||
       t.reduction != Reduction::by_tap)
        return "dW of first layers is of elements of two bytes, multiplied by mma.sync";
    const Window& w = t.window;
    if((w.vector != 4 && w.vector != 8) || w.columns <= 0)
        return "kernels of first layers fill pixels up to 4 or 8 channels, and have room for some "
               "pixels of X";
    if(t.wave_m % i.m != 0 || t.wave_n % i.n != 0)
        return "a wave tile is not a whole number of instructions";
    if(t.block_tile.m != 32 && t.block_tile.m != 64)
        return "a block has 32 or 64 channels of dY, which are read without bank conflicts";
    if(t.sliced.waves < 1 || t.block_tile.k % (i.k * t.sliced.waves) != 0)
        return "the waves that share a tile's pixels multiply whole instructions of them";
    if(t.a_vector != 8 || (t.b_vector != 1 && t.b_vector != w.vector) || t.c_vector != 1)
        return "kernels of first layers load 8 channels of dY, channels of X one by one or a "
               "pixel's together, and store single elements of dW";
    if(block_size(t) > 1024)
        return "a workgroup has more than 1024 threads";
    return nullptr;
}

/// A = dY, B = X, C = dW, of one group. block_tile: m, channels of dY, n, elements of packs, k,
/// pixels of dY in a tile; sliced.waves share these. window: vector, channels of a pixel of X in
/// LDS; columns, pixels of X there at the most. Operands as they are in memory.
///
/// The instruction's rows are channels of dY, its columns a pack, its reduction 16 pixels of dY
/// side by side. Packs after a filter's row are multiplied, and not stored. Pixels that dY does
/// not have are zeros, and so is X there: Inf times zero would be NaN.
template <class Types, GemmTuning tuning>
struct GridwiseFirstLayerWeightConv
{
    using A           = typename Types::A;
    using B           = typename Types::B;
    using C           = typename Types::C;
    using Accumulator = typename arch::MatrixTypes<tuning.instruction>::Accumulator;
    using Rows        = arch::MatrixA<tuning.instruction>;
    using Columns     = arch::MatrixB<tuning.instruction>;

    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB> &&
                      std::is_same_v<A, typename Rows::value_type> &&
                      std::is_same_v<B, typename Columns::value_type>,
                  "operands of kernels of first layers are single tensors of the instruction's");

    static constexpr arch::MatrixInstruction instruction = instruction_of(tuning);
    static constexpr index_t lanes                       = instruction.lanes;
    static constexpr index_t block_size                  = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu           = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement       = instruction.requirement;

    static constexpr index_t pixel_channels = tuning.window.vector, quads = pixel_channels / 4;
    static constexpr index_t pack     = 8;                     ///< elements, of X or of dY
    static constexpr index_t taps     = pack / pixel_channels, ///< taps in a pack
        block_packs                   = tuning.block_tile.n / pack;
    static constexpr index_t dy_packs = tuning.block_tile.m / pack; ///< packs of a dY pixel
    static constexpr index_t width    = instruction.k; ///< pixels of dY that are multiplied at once
    static constexpr index_t slices   = tuning.sliced.waves; ///< slices of a tile's pixels
    static constexpr index_t steps    = tuning.block_tile.k / (width * slices); ///< per wave
    static constexpr index_t waves_n  = tuning.block_tile.n / tuning.wave_n,
                             waves    = waves_n * (tuning.block_tile.m / tuning.wave_m);
    static constexpr index_t row_tiles = tuning.wave_m / instruction.m,
                             packs     = tuning.wave_n / pack, ///< packs of a wave
        pairs                          = math::integer_divide_ceil(packs, 2);

    /// Whether X is copied asynchronously, without going through registers.
    static constexpr bool copies_pixels = tuning.b_vector == pixel_channels;
    /// Pixels of X that a thread loads at once, in `turns` turns between the steps of a tile: as
    /// many as fit in registers beside the sums.
    static constexpr index_t halo_of_thread =
        math::integer_divide_ceil(tuning.window.columns, block_size);
    static constexpr index_t turns = [] {
        constexpr index_t most_together = (row_tiles * packs >= 16 ? 8 : 16) / pixel_channels;
        index_t n                       = 1;
        while(!copies_pixels && n < steps &&
              math::integer_divide_ceil(halo_of_thread, n) > most_together)
            ++n;
        return n;
    }();
    static constexpr index_t together = math::integer_divide_ceil(halo_of_thread, turns);
    using Halo = HaloPixels<B, pixel_channels, tuning.b_vector, together, block_size>;

    struct Params : ConvParams<BackwardWeight, Types>
    {
        FirstLayerHalo halo; ///< halo whose windows are pixels of dY
        FilterDistances dw, partial;
        index_t out_channels;              ///< channels of dY
        Divisor packs_of_row, filter_rows; ///< packs of a row; rows of the filter
        index_t packs;                     ///< packs of all rows
        Divisor steps_x;                   ///< steps of a tile side by side
        index_t tiles_of_image;
        index_t part_tiles; ///< tiles of a partial sum; the last may have fewer
    };

    /// What is read of a tile.
    struct Stage
    {
        alignas(128) A dy[tuning.block_tile.k * tuning.block_tile.m];
        alignas(16) Vector<B, 4> halo[(tuning.window.columns + taps) * quads];
    };
    struct SharedStorage
    {
        Stage stage[2];
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const Wave wave(p, tile);
        const index_t first = tile.split * p.part_tiles,
                      last  = math::min(first + p.part_tiles, p.images(tile) * p.tiles_of_image);
        const arch::GlobalView<const A> dy(p.a + tile.sub_batch * p.a_distance.sub_batch);
        const arch::GlobalView<const B> x(p.b + tile.sub_batch * p.b_distance.sub_batch);
        const index_t first_channel = tile.row_tile * tuning.block_tile.m;

        arch::wait_for_previous_kernel();
        Sums sums;
        unrolled<0, row_tiles>(
            [&](auto i) { unrolled<0, packs>([&](auto j) { sums[i][j] = {}; }); });
        if(first < last)
        {
            const FirstLayerHalo::Tile now = p.halo.tile(first);
            start_copies(p, shared.stage[first % 2], dy, x, now, first_channel);
            CK_NOT_UNROLLED
            for(index_t turn = 0; turn < turns; ++turn)
            {
                Halo pixels;
                load(pixels, p, x, now, turn);
                store(pixels, p, shared.stage[first % 2], turn);
            }
        }
        for(index_t number = first; number < last; ++number)
        {
            Stage &stage = shared.stage[number % 2], &other = shared.stage[(number + 1) % 2];
            // The tile has arrived, and the previous one has been multiplied.
            arch::wait_copy_groups<0, 1>();
            arch::block_sync();
            const bool has_next            = number + 1 < last;
            const FirstLayerHalo::Tile now = p.halo.tile(number), next = p.halo.tile(number + 1);
            if(has_next)
                start_copies(p, other, dy, x, next, first_channel);
            CK_NOT_UNROLLED
            for(index_t turn = 0; turn < turns; ++turn)
            {
                Halo pixels;
                if(has_next)
                    load(pixels, p, x, next, turn);
                const index_t end = (turn + 1) * steps / turns;
                for(index_t step = turn * steps / turns; step < end; ++step)
                    multiply(sums, p, stage, wave, now, step * slices + wave.slice);
                if(has_next)
                    store(pixels, p, other, turn);
            }
        }
        add_slices(sums, shared, wave);
        if(wave.slice == 0)
            store(sums, p, tile, wave);
    }

private:
    using Sums = arch::MatrixC<tuning.instruction>[row_tiles][packs];

    /// Loads a turn's pixels of X, if they are not copied past the registers, or stores them.
    CK_DEVICE CK_INLINE static void load(Halo& pixels,
                                         const Params& p,
                                         const arch::GlobalView<const B>& x,
                                         const FirstLayerHalo::Tile& tile,
                                         index_t turn)
    {
        if constexpr(!copies_pixels)
            pixels.load(p.halo, x, tile, arch::thread_index() + turn * together * block_size);
    }
    CK_DEVICE CK_INLINE static void
    store(const Halo& pixels, const Params& p, Stage& stage, index_t turn)
    {
        if constexpr(!copies_pixels)
            pixels.store(stage.halo, p.halo, arch::thread_index() + turn * together * block_size);
    }

    /// What a wave multiplies, and where its lane reads it in LDS, in bytes.
    struct Wave
    {
        index_t lane, number, slice; ///< number: of those that share a slice of the pixels
        index_t row, first_pack;     ///< first channel of dY, and first pack of all
        index_t dy;                  ///< address of the first 16 channels
        index_t pack_at[pairs];      ///< addresses of two packs each

        CK_DEVICE CK_INLINE Wave(const Params& p, const TileMap::Tile& tile)
            : lane(arch::thread_index() % lanes),
              number(arch::thread_index() / lanes % waves),
              slice(arch::thread_index() / lanes / waves),
              row(number / waves_n * tuning.wave_m),
              first_pack(tile.column_tile * block_packs + number % waves_n * packs)
        {
            // The 8 x 16-byte matrices that ldmatrix reads: of dY two packs by 8 pixels, then the
            // same of 8 more pixels; of X a pack by twice 8 pixels, then the next one.
            const index_t in_matrix = lane % 8, low = lane / 8 % 2, high = lane / 16;
            dy = ChannelLine<>::swizzled((in_matrix + high * 8) * dy_packs * 16 +
                                         (row / pack + low) * 16);
            unrolled<0, pairs>([&](auto j) {
                index_t rest = first_pack + math::min(2 * j + high, packs - 1);
                if(rest >= p.packs) // reads a pack that exists
                    rest = 0;
                const index_t tap   = split_off(rest, p.packs_of_row) * taps,
                              y     = split_off(rest, p.filter_rows),
                              pixel = ((rest * p.halo.rows.value + y * p.halo.y.dilation) *
                                           p.halo.columns.value +
                                       tap * p.halo.x.dilation +
                                       (in_matrix + low * 8) * p.halo.x.stride);
                pack_at[j]          = pixel * pixel_channels * static_cast<index_t>(sizeof(B));
            });
        }
    };

    /// Starts the asynchronous copies of a tile as one group: its pixels of dY and of X, or zeros.
    /// Loops are not unrolled: otherwise the offsets of each thread's copies would stay in
    /// registers through all tiles.
    CK_DEVICE CK_INLINE static void
    start_copies(const Params& p,
                 Stage& stage,
                 const arch::GlobalView<const A>& dy,
                 [[maybe_unused]] const arch::GlobalView<const B>& x,
                 const FirstLayerHalo::Tile& tile,
                 index_t first_channel)
    {
        const WindowGeometry::Image& image = p.halo.geometry.c;
        const arch::offset_t start         = window_bytes(tile.image, image.image_bytes) +
                                     window_bytes(tile.plane, image.plane_bytes) +
                                     window_bytes(first_channel, static_cast<index_t>(sizeof(A)));
        CK_NOT_UNROLLED
        for(index_t i = arch::thread_index(); i < tuning.block_tile.k * dy_packs; i += block_size)
        {
            const index_t pixel = i / dy_packs, channel = i % dy_packs * pack, step = pixel / width,
                          step_row = quotient(step, p.steps_x), row = tile.row + step_row,
                          column = tile.column + (step - step_row * p.steps_x.value) * width +
                                   pixel % width;
            const bool exists = (row < image.rows) & (column < image.columns) &
                                (first_channel + channel < p.out_channels);
            const arch::offset_t at = start + window_bytes(row, image.row_bytes) +
                                      window_bytes(column, image.column_bytes) +
                                      window_bytes(channel, static_cast<index_t>(sizeof(A)));
            dy.template copy_async<pack, dy_packs == pack>(reinterpret_cast<char*>(stage.dy) +
                                                               ChannelLine<>::swizzled(i * 16),
                                                           exists ? at : arch::nowhere,
                                                           0);
        }
        if constexpr(copies_pixels)
        {
            CK_NOT_UNROLLED
            for(index_t i = arch::thread_index(); i < p.halo.pixels; i += block_size)
            {
                const FirstLayerHalo::Pixel from = p.halo.pixel(tile, i);
                x.template copy_async<pixel_channels>(
                    stage.halo + i * quads, from.exists ? from.at : arch::nowhere, 0);
            }
        }
        arch::end_copy_group();
    }

    /// Multiplies the pixels of a step, those that dY has.
    CK_DEVICE CK_INLINE static void multiply(Sums& sums,
                                             const Params& p,
                                             const Stage& stage,
                                             const Wave& wave,
                                             const FirstLayerHalo::Tile& tile,
                                             index_t step)
    {
        const WindowGeometry::Image& image = p.halo.geometry.c;
        const index_t row                  = quotient(step, p.steps_x),
                      column               = (step - row * p.steps_x.value) * width,
                      pixels = image.columns - tile.column - column; // pixels left in the row
        if((tile.row + row >= image.rows) | (pixels <= 0))
            return;
        const char* const dy =
            reinterpret_cast<const char*>(stage.dy) + step * width * dy_packs * 16;
        const char* const x =
            reinterpret_cast<const char*>(stage.halo) +
            (row * p.halo.y.stride * p.halo.columns.value + column * p.halo.x.stride) *
                pixel_channels * static_cast<index_t>(sizeof(B));
        if(pixels >= width)
            multiply(sums, wave, dy, x, [](auto, std::uint32_t word) { return word; });
        else
            multiply(sums, wave, dy, x, [&](auto i, std::uint32_t word) {
                return word & of_pixels(wave.lane, i % 2 * 8, pixels);
            });
    }

    /// The same of pixels that lie in LDS from dy and x on. existing: what counts of the i-th word
    /// that a lane reads of X.
    template <class Existing>
    CK_DEVICE CK_INLINE static void
    multiply(Sums& sums, const Wave& wave, const char* dy, const char* x, const Existing& existing)
    {
        Rows rows[row_tiles];
        unrolled<0, row_tiles>([&](auto i) {
            rows[i] =
                __builtin_bit_cast(Rows, arch::load_matrices<4, true>(dy + (wave.dy ^ i * 32)));
        });
        unrolled<0, pairs>([&](auto j) {
            constexpr index_t count = math::min(2, packs - 2 * j); // packs
            auto words              = arch::load_matrices<2 * count, true>(x + wave.pack_at[j]);
            unrolled<0, 2 * count>([&](auto i) { words[i] = existing(i, words[i]); });
            unrolled<0, count>([&](auto n) {
                const auto columns = __builtin_bit_cast(
                    Columns, Vector<std::uint32_t, 2>{words[2 * n], words[2 * n + 1]});
                unrolled<0, row_tiles>([&](auto i) {
                    arch::multiply_accumulate<tuning.instruction>(
                        rows[i], columns, sums[i][2 * j + n]);
                });
            });
        });
    }

    /// The halves of a word that are of pixels below `pixels`. A lane has two neighbours of each 8.
    CK_DEVICE CK_INLINE static std::uint32_t of_pixels(index_t lane, index_t first, index_t pixels)
    {
        const index_t pixel = first + lane % 4 * 2;
        return (pixel < pixels ? 0xffffu : 0u) | (pixel + 1 < pixels ? 0xffff0000u : 0u);
    }

    /// Adds the sums of all slices to those of the first, one after the other.
    CK_DEVICE CK_INLINE static void add_slices(Sums& sums, SharedStorage& shared, const Wave& wave)
    {
        using Sum                 = arch::MatrixC<tuning.instruction>;
        constexpr index_t of_lane = row_tiles * packs;
        static_assert(slices == 1 || of_lane * lanes * waves * sizeof(Sum) <= sizeof(shared),
                      "the sums of a slice fit in LDS");
        Sum* const to = reinterpret_cast<Sum*>(&shared) + wave.number * of_lane * lanes + wave.lane;
        for(index_t slice = 1; slice < slices; ++slice)
        {
            arch::block_sync();
            if(wave.slice == slice)
                unrolled<0, of_lane>([&](auto i) { to[i * lanes] = sums[i / packs][i % packs]; });
            arch::block_sync();
            if(wave.slice == 0)
                unrolled<0, of_lane>([&](auto i) {
                    const Sum more = to[i * lanes];
                    repeat<Sum::length>(
                        [&](index_t e) { sums[i / packs][i % packs][e] += more[e]; });
                });
        }
    }

    /// Stores a wave's sums: as a partial, or as dW.
    CK_DEVICE CK_INLINE static void
    store(const Sums& sums, const Params& p, const TileMap::Tile& tile, const Wave& wave)
    {
        const bool in_parts      = p.partial_sums.base != nullptr;
        const FilterDistances& d = in_parts ? p.partial : p.dw;
        const long_index_t part  = long_index_t{tile.sub_batch} * p.tiles.splits.value + tile.split;
        auto* const partial      = static_cast<Accumulator*>(p.partial_sums.base) +
                              (in_parts ? part * p.partial_sums.partial : 0);
        const auto at = [&](index_t value) {
            return arch::describe(tuning.instruction).c(wave.lane, value);
        };
        unrolled<0, packs>([&](auto j) {
            index_t rest        = wave.first_pack + j;
            const bool exists   = rest < p.packs;
            const index_t first = split_off(rest, p.packs_of_row) * taps,
                          y     = split_off(rest, p.filter_rows);
            unrolled<0, 2>([&](auto e) { // neighbours
                const index_t column = at(e).column, x = first + column / pixel_channels,
                              channel = column % pixel_channels;
                if(!exists || x >= p.halo.x.taps || channel >= p.halo.channels)
                    return;
                const long_index_t to = d.to(rest, y, x, channel);
                unrolled<0, 2 * row_tiles>([&](auto r) {
                    const index_t value = r % 2 * 2 + e, row = tile.row_tile * tuning.block_tile.m +
                                                               wave.row + r / 2 * instruction.m +
                                                               at(value).row;
                    if(row >= p.out_channels)
                        return;
                    const long_index_t place = to + long_index_t{row} * d.out;
                    const Accumulator sum    = sums[r / 2][j][value];
                    if(in_parts)
                        partial[place] = sum;
                    else
                        p.operation_c(p.c[place], sum);
                });
            });
        });
    }
};

} // namespace ck::grid
