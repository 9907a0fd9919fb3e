#pragma once
// Pointwise convolution (1x1) with few channels, channels first (one plane of pixels per channel).
// A wave loops over the pixels of all images, permutes what it loads of A in registers, multiplies
// it, and stores the instruction's results to C in vectors of pixels. A and C move once; only the
// filters go through LDS.
//
// GridwisePointwiseConv does the same if a pixel's channels are contiguous.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/channels_first_lanes.hpp"
#include "ck/utility/type_convert.hpp"

#include <cstdint>

namespace ck::grid {

/// Says what is wrong with a tuning of GridwisePointwiseChannelsFirstConv; empty if it is valid.
constexpr const char* why_no_pointwise_channels_first(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(i.requirement == arch::Requirement::none || arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2)
        return "pointwise kernels multiply elements of two bytes by matrix instructions of a wave";
    if(t.reduction != Reduction::by_tap)
        return "pointwise kernels have one tap";
    if(t.a_vector != 1 || t.b_vector != 1 || t.c_vector != 1)
        return "channels-first tensors are accessed in vectors of pixels, not of channels";
    if(t.channels_first.vector != 2 && t.channels_first.vector != 4 && t.channels_first.vector != 8)
        return "a vector of pixels has 2, 4 or 8 of them";
    if(t.wave_m != i.n * t.channels_first.vector || t.wave_n != t.block_tile.n)
        return "a wave has a vector of pixels for each column of an instruction, and all columns "
               "of a block";
    if(t.block_tile.k % i.k != 0 || t.block_tile.n % i.m != 0)
        return "block_tile is not a whole number of instructions";
    return nullptr;
}

/// Forward and backward data of 1x1 without stride and padding; interface as GridwiseConv's. A
/// block has up to block_tile.n columns of C, its channels; each wave computes wave_m rows, which
/// are pixels, then the next ones. block_tile.k: the most channels of the reduction. Operands of
/// one tensor, as they are in memory; no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwisePointwiseChannelsFirstConv
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

    using Lanes                     = warp::ChannelsFirstLanes<tuning.instruction>;
    static constexpr index_t vector = tuning.channels_first.vector;
    static constexpr index_t waves  = block_size / lanes;
    static constexpr index_t steps  = tuning.block_tile.k / Lanes::channels;
    static constexpr index_t tiles  = tuning.block_tile.n / Lanes::rows;

    /// A channels-first tensor, in bytes.
    struct Image
    {
        arch::offset_t image, plane; ///< distance from each image or channel to the next
    };
    struct Params : ConvParams<Transform, Types>
    {
        index_t depth, columns; ///< channels of the reduction and of C
        Divisor image_vectors;  ///< vectors of pixels of an image
        Image a_image, c_image;
        index_t b_column, b_channel; ///< elements from each column of C, or channel, to the next
    };
    struct SharedStorage
    {
        /// [tile of columns][step of channels][lane]
        alignas(16) typename Lanes::Filters filter[tiles][steps][lanes];
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const index_t thread = arch::thread_index(), lane = thread % lanes,
                      first_column = tile.column_tile * tuning.block_tile.n,
                      columns      = math::min(p.columns - first_column, tuning.block_tile.n),
                      vectors      = p.images(tile) * p.image_vectors.value;
        const auto moved           = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.sub_batch * d.sub_batch;
        };

        arch::wait_for_previous_kernel();
        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        C* const c = moved(p.c, p.c_distance) +
                     static_cast<long_index_t>(first_column) * (p.c_image.plane / sizeof(C));
        const arch::GlobalView<C> out(c);
        const index_t step = p.tiles.row_tiles.value * waves * Lanes::columns;
        // The first vector of pixels, counted through all images.
        index_t first = (tile.row_tile * waves + thread / lanes) * Lanes::columns;
        Loaded loaded;
        load(loaded, p, in, first, vectors, lane); // before waves wait for the filters
        copy_filters(
            p, shared, moved(p.b, p.b_distance) + first_column * p.b_column, columns, lane);
        arch::block_sync();
        for(; first < vectors; first += step)
        {
            typename Lanes::Pixels pixels[steps][vector];
            permute(pixels, loaded);
            multiply(
                p, out, c, shared, pixels, first, vectors, tile.group, first_column, columns, lane);
            load(loaded, p, in, first + step, vectors, lane);
        }
    }

private:
    /// A lane's loads for a run of pixels: vectors of each of its channels, as pairs of pixels.
    using Pair   = Vector<A, 2>;
    using Words  = Vector<std::uint32_t, vector / Pair::length>;
    using Loaded = Words[steps][Lanes::Pixels::length];

    /// Returns the offset of a vector of pixels in the first plane of its image; nowhere if there
    /// is no such vector.
    CK_DEVICE CK_INLINE static arch::offset_t
    place(const Params& p, const Image& tensor, index_t number, index_t vectors, index_t bytes)
    {
        const index_t image  = quotient(number, p.image_vectors);
        const index_t inside = number - image * p.image_vectors.value;
        return number < vectors ? static_cast<arch::offset_t>(image) * tensor.image +
                                      static_cast<arch::offset_t>(inside * bytes)
                                : arch::nowhere;
    }

    CK_DEVICE CK_INLINE static void load(Loaded& to,
                                         const Params& p,
                                         const arch::GlobalView<const A>& in,
                                         index_t first,
                                         index_t vectors,
                                         index_t lane)
    {
        const arch::offset_t start = place(
            p, p.a_image, first + Lanes::in_place(lane), vectors, vector * index_t{sizeof(A)});
        repeat<steps>([&](index_t s) {
            repeat<Lanes::Pixels::length>([&](index_t v) {
                const index_t channel =
                    Lanes::in_channel(lane) + s * Lanes::channels + Lanes::channel_after(v);
                to[s][v] = __builtin_bit_cast(
                    Words,
                    in.template load<vector>(channel < p.depth
                                                 ? start + static_cast<arch::offset_t>(channel) *
                                                               p.a_image.plane
                                                 : arch::nowhere));
            });
        });
    }

    /// Reorders them by pixel, because an instruction takes the channels of a pixel.
    template <class Pixels>
    CK_DEVICE CK_INLINE static void permute(Pixels& pixels, const Loaded& loaded)
    {
        repeat<steps>([&](index_t s) {
            repeat<Lanes::Pixels::length>([&](index_t v) {
                repeat<Words::length>([&](index_t w) {
                    const auto pair =
                        __builtin_bit_cast(Pair, arch::undivided_word(loaded[s][v][w]));
                    repeat<Pair::length>(
                        [&](index_t e) { pixels[s][w * Pair::length + e][v] = pair[e]; });
                });
            });
        });
    }

    /// Copies the filters of a block's columns to LDS in the order of the lanes. Missing channels
    /// get zeros; missing columns get other columns' filters.
    template <class From>
    CK_DEVICE CK_INLINE static void copy_filters(
        const Params& p, SharedStorage& shared, const From* from, index_t columns, index_t lane)
    {
        using Filters              = typename Lanes::Filters;
        constexpr index_t together = // whose loads wait together
            math::min(16 / Filters::length, math::integer_divide_ceil(tiles * steps, waves));
        const index_t count = math::integer_divide_ceil(columns, Lanes::rows) * steps;
        for(index_t first = arch::thread_index() / lanes; first < count; first += together * waves)
        {
            Filters filters[together];
            repeat<together>([&](index_t i) {
                const index_t f = first + i * waves, row = f / steps * Lanes::rows,
                              channel = f % steps * Lanes::channels;
                repeat<Filters::length>([&](index_t v) {
                    const index_t column = math::min(row + Lanes::filter_row(lane, v), columns - 1),
                                  k      = channel + Lanes::filter_channel(lane, v);
                    // Each load is from a valid place: loads without branches wait together.
                    filters[i][v] =
                        from[column * p.b_column + math::min(k, p.depth - 1) * p.b_channel];
                    filters[i][v] = k < p.depth ? filters[i][v] : From{};
                });
            });
            repeat<together>([&](index_t i) {
                if(const index_t f = first + i * waves; f < count)
                    arch::write_whole(&shared.filter[f / steps][f % steps][lane], filters[i]);
            });
        }
    }

    /// Multiplies a run of pixels by the filters and stores the products.
    template <class Pixels>
    CK_DEVICE CK_INLINE static void multiply(const Params& p,
                                             const arch::GlobalView<C>& out,
                                             [[maybe_unused]] const C* c,
                                             const SharedStorage& shared,
                                             const Pixels& pixels,
                                             index_t first,
                                             index_t vectors,
                                             [[maybe_unused]] index_t group,
                                             [[maybe_unused]] index_t first_column,
                                             index_t columns,
                                             index_t lane)
    {
        using Sums = typename Lanes::Sums;
        arch::offset_t start[Sums::length];
        repeat<Sums::length>([&](index_t v) {
            start[v] = place(p,
                             p.c_image,
                             first + Lanes::out_place(lane, v),
                             vectors,
                             vector * index_t{sizeof(C)});
        });
        for(index_t tile = 0; tile * Lanes::rows < columns; ++tile)
        {
            Sums sums[vector]{};
            repeat<steps>([&](index_t s) {
                const auto filters =
                    arch::read_whole<typename Lanes::Filters>(&shared.filter[tile][s][lane]);
                repeat<vector>([&](index_t i) {
                    arch::multiply_accumulate<tuning.instruction>(filters, pixels[s][i], sums[i]);
                });
            });
            repeat<Sums::length>([&](index_t v) {
                const index_t column = tile * Lanes::rows + Lanes::out_channel(lane, v);
                Vector<C, vector> result;
                Vector<typename arch::MatrixTypes<tuning.instruction>::Accumulator, vector> run;
                repeat<vector>([&](index_t i) { run[i] = sums[i][v]; });
                const arch::offset_t place =
                    column < columns
                        ? start[v] + static_cast<arch::offset_t>(column) * p.c_image.plane
                        : arch::nowhere;
                if constexpr(has_epilogue)
                    if(p.epilogue.exists)
                        p.epilogue.apply_to_channel(
                            run,
                            p.epilogue.template load<C, 1>(
                                group, first_column + column, first_column + columns)[0],
                            [&] {
                                return p.epilogue.residuals(p.c, c).template load<vector>(place);
                            });
                repeat<vector>([&](index_t i) { p.operation_c(result[i], run[i]); });
                out.template store<vector>(result, place);
            });
        }
    }
};

} // namespace ck::grid
