#pragma once
// Copies between channels-first images (each channel is a plane) and channels-last pixels, using
// registers only.
//
// Each thread copies a square: 16 bytes of channels times a run of pixels. Adjacent threads take
// the next channels of the same run (`lanes` threads), then the next runs. So a warp reads and
// writes whole sectors on both sides, and the loads of a thread are in flight together.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/transpose.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/vector.hpp"

#include <tuple>
#include <type_traits>

namespace ck::grid {

/// Channels-first images and their channels-last copy; lengths and distances in elements. All
/// fields have one type: no padding, which plans that keep parameters would take for an address.
struct ChannelsFirstTensor
{
    long_index_t images;   ///< images of the channels-first tensor
    long_index_t copied;   ///< images of the copy: as many or more, the last ones zeros
    long_index_t pixels;   ///< pixels of a plane, contiguous in memory
    long_index_t channels; ///< planes of an image
    long_index_t pitch;    ///< from a pixel of the copy to the next; zeros beyond the channels
    long_index_t image;    ///< from an image's first plane to the next one's
    long_index_t plane;    ///< from plane to plane
};

/// to_pixels: writes the copy; otherwise writes the planes and does not read the padding. T:
/// unsigned, of 1, 2 or 4 bytes. run_length: pixels per thread; divides the pixels and the
/// distances of planes.
template <class T, index_t run_length, bool to_pixels>
struct GridwiseLayoutConversion
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    /// Channels per thread.
    static constexpr index_t vector = 16 / static_cast<index_t>(sizeof(T));
    /// The most threads that share a run of `vectors` vectors per pixel. H200, reading planes: four
    /// threads 3.4 to 4.0 TB/s (half a pixel of 54 channels: 2.5, a whole one: 3.6). Writing
    /// planes, faster if a warp stores longer parts: single elements 2.4 TB/s with one thread (two
    /// 1.9, four 1.3), 8 bytes 2.6 with two (four 2.1), 16 bytes 3.0 with four (two 2.4).
    static constexpr index_t most_lanes(index_t vectors)
    {
        constexpr index_t bytes = run_length * static_cast<index_t>(sizeof(T));
        return to_pixels ? (vectors % 4 == 0 ? 4 : 8) : run_length == 1 ? 1 : bytes < 16 ? 2 : 4;
    }

    struct Params
    {
        std::conditional_t<to_pixels, const T, T>* planes;
        std::conditional_t<to_pixels, T, const T>* copy;
        ChannelsFirstTensor tensor;
        long_index_t runs;      ///< runs of all images
        Divisor lanes;          ///< threads that share a run
        Divisor channel_blocks; ///< blocks that share runs
        Divisor runs_of_image;
        index_t runs_of_block;

        auto addresses() const { return std::tie(planes, copy); }
    };
    struct SharedStorage
    {};

    static constexpr bool starts_early(const Params&) { return true; }

    /// Runs of all images, at most 2^30.
    static constexpr long_index_t run_count(const ChannelsFirstTensor& t)
    {
        return (to_pixels ? t.copied : t.images) * (t.pixels / run_length);
    }
    static Params make_params(decltype(Params::planes) planes,
                              decltype(Params::copy) copy,
                              const ChannelsFirstTensor& t)
    {
        const index_t vectors = static_cast<index_t>(t.pitch / vector),
                      blocks  = math::integer_divide_ceil(vectors, most_lanes(vectors)),
                      lanes   = math::integer_divide_ceil(vectors, blocks);
        return {planes,
                copy,
                t,
                run_count(t),
                make_divisor(lanes),
                make_divisor(blocks),
                make_divisor(static_cast<index_t>(t.pixels / run_length)),
                block_size / lanes};
    }
    static constexpr long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.runs, long_index_t{p.runs_of_block}) *
               p.channel_blocks.value;
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        const ChannelsFirstTensor& t = p.tensor;
        const index_t in_block       = quotient(arch::thread_index(), p.lanes);
        const index_t run_block      = quotient(arch::block_index(), p.channel_blocks);
        const index_t lane           = arch::thread_index() - in_block * p.lanes.value,
                      channels_block = arch::block_index() - run_block * p.channel_blocks.value;
        const index_t run            = run_block * p.runs_of_block + in_block,
                      channel        = (channels_block * p.lanes.value + lane) * vector;
        if(in_block >= p.runs_of_block || run >= p.runs || channel >= t.pitch)
            return;
        const index_t image = quotient(run, p.runs_of_image),
                      pixel = (run - image * p.runs_of_image.value) * run_length;
        auto* const planes  = p.planes + (image * t.image + channel * t.plane + pixel);
        auto* const copy    = p.copy + ((image * t.pixels + pixel) * t.pitch + channel);
        const index_t exist = image < t.images ? static_cast<index_t>(t.channels) - channel : 0;

        Vector<T, run_length> of_planes[vector];
        Vector<T, vector> of_pixels[run_length];
        arch::wait_for_previous_kernel();
        if constexpr(to_pixels)
        {
            repeat<vector>([&](index_t c) {
                of_planes[c] =
                    arch::read_whole_if<Vector<T, run_length>>(c < exist, planes + c * t.plane);
            });
            arch::transpose(of_planes, of_pixels);
            repeat<run_length>(
                [&](index_t i) { arch::write_undivided(copy + i * t.pitch, of_pixels[i]); });
        }
        else
        {
            repeat<run_length>([&](index_t i) {
                of_pixels[i] = arch::read_whole_if<Vector<T, vector>>(true, copy + i * t.pitch);
            });
            arch::transpose(of_pixels, of_planes);
            repeat<vector>([&](index_t c) {
                if(c < exist)
                    arch::write_undivided(planes + c * t.plane, of_planes[c]);
            });
        }
    }
};

} // namespace ck::grid
