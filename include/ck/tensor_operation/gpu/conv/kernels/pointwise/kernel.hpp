#pragma once
// Pointwise convolution (1x1) with few channels. A and C are matrices of pixels by channels, at
// most a cache line wide, and move once. A wave keeps the filters in registers and loops over the
// pixels. It loads A in the layout of the instruction's operand and stores C in vectors in the
// layout of its result. Only the filters go through LDS, once. With WMMA, whose lanes hold few
// columns of many pixels, C does too.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwisePointwiseConv; empty if it is valid.
constexpr const char* why_no_pointwise(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::Requirement r = instruction_of(t).requirement;
    if(r == arch::Requirement::none || arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2)
        return "pointwise kernels multiply elements of two bytes by matrix instructions of a wave";
    if(t.reduction != Reduction::by_tap)
        return "pointwise kernels have one tap";
    if((t.a_vector != 4 && t.a_vector != 8) ||
       !have_whole_vectors(warp::loaded_pixels(t.instruction), t.block_tile.k, t.a_vector))
        return "the lanes that share a pixel load a whole number of vectors of 4 or 8 channels of "
               "A";
    if(!warp::store_whole_vectors(t.instruction, t.block_tile.n, t.c_vector))
        return "the lanes that share a pixel store a whole number of vectors of C";
    if(t.b_vector != 1 || t.wave_n != t.block_tile.n)
        return "a wave of a pointwise kernel has all columns of a block, and loads filters one by "
               "one";
    return nullptr;
}

/// Forward and backward data of 1x1 without stride and padding; interface as GridwiseConv's. A
/// block has block_tile.n columns of C; each wave computes wave_m rows, then the next ones.
/// block_tile.k: the most channels in the reduction. Operands are single tensors, as they are in
/// memory; no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwisePointwiseConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of pointwise kernels are single tensors");

    using A = typename Types::A;
    using C = typename Types::C;

    static constexpr index_t lanes                 = instruction_of(tuning).lanes;
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = instruction_of(tuning).requirement;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);
    /// Beside the filters of more columns a residual spills (nvcc 13: 184 bytes).
    static constexpr bool takes_residual = tuning.block_tile.n <= 32;

    using Lanes                        = warp::PixelLanes<tuning.instruction>;
    static constexpr index_t sub_tiles = tuning.wave_m / Lanes::pixels;
    static constexpr index_t steps     = tuning.block_tile.k / Lanes::channels;
    static constexpr index_t tiles     = tuning.block_tile.n / Lanes::columns;
    static constexpr index_t loads     = steps * Lanes::in_values / tuning.a_vector; ///< per pixel
    static constexpr bool staged       = warp::stages_pixels(tuning.instruction);
    /// Adjacent columns that a lane holds.
    static constexpr index_t held =
        staged ? warp::widest_vector(warp::stored_pixels(tuning.instruction), tuning.block_tile.n)
               : tuning.c_vector;
    static constexpr index_t runs      = tiles * Lanes::out_values / held; ///< runs of a pixel
    static constexpr index_t tile_rows = tuning.block_tile.m;

    struct Params : ConvParams<Transform, Types>
    {
        index_t depth;               ///< channels of the reduction
        arch::offset_t a_row, c_row; ///< bytes from each pixel to the next
        arch::offset_t b_column,
            b_channel; ///< bytes from each column of C, or channel, to the next
    };
    /// An instruction's pixels of each wave, 16 bytes apart.
    struct StagedPixels
    {
        alignas(16) C of_wave[block_size / lanes][Lanes::pixels]
                             [tuning.block_tile.n + 16 / static_cast<index_t>(sizeof(C))];
    };
    struct NoPixels
    {};
    struct SharedStorage
    {
        alignas(16) A filter[tuning.block_tile.n][tuning.block_tile.k]; ///< [column of C][channel]
        [[no_unique_address]] std::conditional_t<staged, StagedPixels, NoPixels> pixels;
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const auto views         = p.views(tile);
        const index_t thread = arch::thread_index(), lane = thread % lanes,
                      rows = views.c.template extent<0>(), columns = views.c.template extent<1>(),
                      first_column = tile.column_tile * tuning.block_tile.n;
        const auto moved           = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.sub_batch * d.sub_batch;
        };

        arch::wait_for_previous_kernel();
        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        constexpr warp::PixelParts in_parts = Lanes::in();
        const index_t in_part = Lanes::in_part(lane), out_part = Lanes::out_part(lane);
        using Rows      = Vector<A, tuning.a_vector>[sub_tiles][Lanes::in_pixels][loads];
        const auto load = [&](Rows& to, index_t first_row) {
            repeat<sub_tiles>([&](index_t u) {
                repeat<Lanes::in_pixels>([&](index_t r) {
                    const index_t row = first_row + u * Lanes::pixels + Lanes::in_pixel(lane, r);
                    const arch::offset_t start = static_cast<arch::offset_t>(row) * p.a_row;
                    repeat<loads>([&](index_t i) {
                        const index_t k =
                            in_parts.place(in_part, i * tuning.a_vector, tuning.a_vector);
                        to[u][r][i] = in.template load<tuning.a_vector>(
                            ((row < rows) & (k < p.depth))
                                ? start + static_cast<arch::offset_t>(k * index_t{sizeof(A)})
                                : arch::nowhere);
                    });
                });
            });
        };
        const auto place = [&](index_t at, index_t column) {
            const arch::offset_t start = static_cast<arch::offset_t>(at) * p.c_row;
            return ((at < rows) & (column < columns))
                       ? start + static_cast<arch::offset_t>(column * index_t{sizeof(C)})
                       : arch::nowhere;
        };
        const auto store = [&](const auto& vector, index_t at, index_t column) {
            out.template store<tuning.c_vector>(vector, place(at, column));
        };
        const index_t step = p.tiles.row_tiles.value * tile_rows;
        index_t row        = tile.row_tile * tile_rows + thread / lanes * tuning.wave_m;
        Rows now, next;
        load(now, row); // starts before waves wait for the filters
        copy_filters(p, shared, moved(p.b, p.b_distance), first_column, columns);
        arch::block_sync();
        typename Lanes::Filters b[tiles][steps];
        repeat<tiles>([&](index_t n) {
            repeat<steps>([&](index_t s) { b[n][s] = read_filters(shared, n, s, lane); });
        });
        for(; row < rows; row += step)
        {
            load(next, row + step);
            repeat<sub_tiles>([&](index_t u) {
                typename Lanes::Sums c[tiles]{};
                multiply(c, now[u], b);
                if constexpr(has_epilogue)
                    apply_epilogue(
                        c,
                        p,
                        tile.group,
                        first_column,
                        columns,
                        out_part,
                        [&](index_t r, index_t n) {
                            return p.epilogue.residuals(p.c, moved(p.c, p.c_distance))
                                .template load<held>(
                                    place(row + u * Lanes::pixels + Lanes::out_pixel(lane, r), n));
                        });
                if constexpr(staged)
                {
                    auto& pixels = shared.pixels.of_wave[thread / lanes];
                    arch::wave_sync<lanes>(); // the previous pixels have been read
                    for_runs(p, c, out_part, [&](index_t r, index_t column, const auto& run) {
                        *reinterpret_cast<Vector<C, held>*>(
                            &pixels[Lanes::out_pixel(lane, r)][column]) = run;
                    });
                    arch::wave_sync<lanes>();
                    constexpr index_t of_pixel = tuning.block_tile.n / tuning.c_vector;
                    repeat<Lanes::pixels * of_pixel / lanes>([&](index_t i) {
                        const index_t number = lane + i * lanes, pixel = number / of_pixel,
                                      column = number % of_pixel * tuning.c_vector;
                        store(*reinterpret_cast<const Vector<C, tuning.c_vector>*>(
                                  &pixels[pixel][column]),
                              row + u * Lanes::pixels + pixel,
                              first_column + column);
                    });
                }
                else
                    for_runs(p, c, out_part, [&](index_t r, index_t column, const auto& run) {
                        store(run,
                              row + u * Lanes::pixels + Lanes::out_pixel(lane, r),
                              first_column + column);
                    });
            });
            repeat<sub_tiles>([&](index_t u) {
                repeat<Lanes::in_pixels>([&](index_t r) {
                    repeat<loads>([&](index_t i) { now[u][r][i] = next[u][r][i]; });
                });
            });
        }
    }

private:
    /// Applies the launch's ChannelEpilogue, if there is one, to a lane's results.
    /// residual_of(pixel, column): the residuals of a run of adjacent columns.
    template <class Residual>
    CK_DEVICE CK_INLINE static void apply_epilogue(typename Lanes::Sums (&c)[tiles],
                                                   const Params& p,
                                                   index_t group,
                                                   index_t first_column,
                                                   index_t columns,
                                                   index_t part,
                                                   [[maybe_unused]] const Residual& residual_of)
    {
        if(!p.epilogue.exists)
            return;
        constexpr warp::PixelParts parts = Lanes::out();
        repeat<runs>([&](index_t i) {
            const index_t column = first_column + parts.place(part, i * held, held);
            const auto biases    = p.epilogue.template load<C, held>(group, column, columns);
            repeat<Lanes::out_pixels>([&](index_t r) {
                const auto sum = [&](index_t e) -> auto&
                {
                    const index_t number = i * held + e;
                    return c[number / Lanes::out_values][Lanes::sum(r, number % Lanes::out_values)];
                };
                Vector<float, held> run;
                repeat<held>([&](index_t e) { run[e] = sum(e); });
                if constexpr(takes_residual)
                    p.epilogue.apply(run, biases, [&] { return residual_of(r, column); });
                else
                    p.epilogue.apply(run, biases);
                repeat<held>([&](index_t e) { sum(e) = run[e]; });
            });
        });
    }

    /// Calls f(pixel, column, run) for each run of adjacent columns in a lane's results, converted
    /// to C.
    template <class F>
    CK_DEVICE CK_INLINE static void
    for_runs(const Params& p, const typename Lanes::Sums (&c)[tiles], index_t part, const F& f)
    {
        constexpr warp::PixelParts parts = Lanes::out();
        repeat<Lanes::out_pixels>([&](index_t r) {
            repeat<runs>([&](index_t i) {
                Vector<C, held> run;
                repeat<held>([&](index_t e) {
                    const index_t number = i * held + e;
                    p.operation_c(
                        run[e],
                        c[number / Lanes::out_values][Lanes::sum(r, number % Lanes::out_values)]);
                });
                f(r, parts.place(part, i * held, held), run);
            });
        });
    }

    /// Copies the filters of a block's columns to LDS, with zeros where there are none.
    template <class From>
    CK_DEVICE CK_INLINE static void copy_filters(const Params& p,
                                                 SharedStorage& shared,
                                                 const From* from,
                                                 index_t first_column,
                                                 index_t columns)
    {
        constexpr index_t depth = tuning.block_tile.k, count = depth * tuning.block_tile.n,
                          together = math::min(8, math::integer_divide_ceil(count, block_size));
        From* const to             = reinterpret_cast<From*>(shared.filter);
        for(index_t first = arch::thread_index(); first < count; first += together * block_size)
        {
            From filter[together];
            repeat<together>([&](index_t i) {
                const index_t at = first + i * block_size, k = at % depth,
                              column = first_column + at / depth;
                const bool inside    = at < count && column < columns && k < p.depth;
                // Each load is from a valid address: loads without branches are in flight together.
                filter[i] = from[inside ? column * p.b_column + k * p.b_channel : 0];
                filter[i] = inside ? filter[i] : From{};
            });
            repeat<together>([&](index_t i) {
                if(const index_t at = first + i * block_size; at < count)
                    to[at] = filter[i];
            });
        }
    }

    /// A lane's filters for a tile of columns and a step of channels.
    CK_DEVICE CK_INLINE static typename Lanes::Filters
    read_filters(const SharedStorage& shared, index_t tile, index_t step, index_t lane)
    {
        constexpr index_t together = math::min(Lanes::in_values, tuning.a_vector); // neighbours
        constexpr warp::PixelParts in_parts = Lanes::in();
        const index_t column                = Lanes::filter_column(lane, tile, held),
                      part                  = Lanes::filter_part(lane);
        typename Lanes::Filters filters;
        repeat<Lanes::in_values / together>([&](index_t i) {
            const index_t channel =
                in_parts.place(part, step * Lanes::in_values + i * together, tuning.a_vector);
            const auto neighbours =
                *reinterpret_cast<const Vector<A, together>*>(&shared.filter[column][channel]);
            repeat<together>([&](index_t e) { filters[i * together + e] = neighbours[e]; });
        });
        return filters;
    }

    template <class Sums, class Rows, class Filters>
    CK_DEVICE CK_INLINE static void multiply(Sums& c, const Rows& rows, const Filters& b)
    {
        repeat<steps>([&](index_t s) {
            typename Lanes::Pixels a;
            repeat<Lanes::Pixels::length>([&](index_t v) {
                const index_t number = s * Lanes::in_values + Lanes::number_of_value(v);
                a[v]                 = rows[Lanes::pixel_of_value(v)][number / tuning.a_vector]
                           [number % tuning.a_vector];
            });
            repeat<tiles>([&](index_t n) {
                arch::multiply_accumulate<tuning.instruction>(a, b[n][s], c[n]);
            });
        });
    }
};

} // namespace ck::grid
