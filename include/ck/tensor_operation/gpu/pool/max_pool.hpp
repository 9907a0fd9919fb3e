#pragma once
// Max pooling of channels-last tensors, forward and backward. A thread computes some neighbouring
// channels of one pixel of its result, so neighbouring threads read neighbouring memory. Windows
// overlap, but a pixel that several of them read is in a cache after the first.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <type_traits>

namespace ck::pool {

inline constexpr index_t block_size = 256;

/// One spatial dimension, in pixels. The window of output o begins at o * stride - pad, and has a
/// tap at every dilation-th pixel.
struct Extent
{
    index_t input, output, window, stride, pad, dilation;

    /// Taps [first, end) of output o are pixels of the input; there is at least one.
    struct Taps
    {
        index_t begin; ///< the pixel of tap 0, which may be outside
        index_t first, end;
    };
    CK_DEVICE CK_INLINE Taps taps_of(index_t o) const
    {
        const index_t begin = o * stride - pad;
        const index_t end   = (input - begin - 1) / dilation + 1;
        return {
            begin, begin < 0 ? (dilation - 1 - begin) / dilation : 0, end < window ? end : window};
    }
    /// Outputs [first, end) whose windows reach over pixel i.
    struct Outputs
    {
        index_t first, end;
    };
    CK_DEVICE CK_INLINE Outputs outputs_of(index_t i) const
    {
        const index_t after = i + pad - (window - 1) * dilation, last = (i + pad) / stride;
        return {after <= 0 ? 0 : (after - 1) / stride + 1, last < output ? last + 1 : output};
    }
    /// The tap of output o at pixel i, or -1.
    CK_DEVICE CK_INLINE index_t tap(index_t o, index_t i) const
    {
        const index_t distance = i + pad - o * stride, t = distance / dilation;
        return t * dilation == distance ? t : -1;
    }
};

struct Geometry
{
    long_index_t channels;
    Extent depth, height, width;
};

/// A thread's part of a tensor: `vector` channels of a pixel.
template <index_t vector>
struct Place
{
    long_index_t channel, image;
    index_t z, y, x;

    /// The lengths are those of the tensor.
    CK_DEVICE CK_INLINE Place(long_index_t channels, index_t depth, index_t height, index_t width)
    {
        const long_index_t of_pixel = channels / vector,
                           i        = long_index_t{arch::block_index()} * block_size +
                               arch::thread_index();
        long_index_t rest = i / of_pixel;
        channel           = (i - rest * of_pixel) * vector;
        const auto next   = [&](index_t length) {
            const long_index_t whole = rest / length;
            const auto position      = static_cast<index_t>(rest - whole * length);
            rest                     = whole;
            return position;
        };
        x     = next(width);
        y     = next(height);
        z     = next(depth);
        image = rest;
    }
};

/// The type in which numbers are compared and added.
template <class T>
using AccOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// y = the largest x of each window; NaN if one of them is NaN. vector_: channels of a thread, by
/// which the number of channels is divisible.
template <class T, index_t vector_>
struct MaxPool
{
    static constexpr index_t block_size            = pool::block_size;
    static constexpr index_t min_blocks_per_cu     = 4;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector                = vector_;
    static constexpr index_t together              = 3; ///< loads of a row that are in flight

    struct Params
    {
        Geometry geometry;
        long_index_t images;
        const T* x;
        T* y;
        std::uint8_t* taps; ///< the number of the tap with the largest x, or null
    };
    struct SharedStorage
    {};

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const long_index_t channels = p.geometry.channels;
        const Extent &depth = p.geometry.depth, &height = p.geometry.height,
                     &width = p.geometry.width;
        const Place<vector> place(channels, depth.output, height.output, width.output);
        if(place.image >= p.images)
            return;
        const Extent::Taps along_z = depth.taps_of(place.z), along_y = height.taps_of(place.y),
                           along_x = width.taps_of(place.x);
        using Acc                  = AccOf<T>;
        using Elements             = Vector<T, vector>;
        Acc best[vector]{};
        index_t best_tap[vector]{};
        bool is_first = true;
        CK_NOT_UNROLLED
        for(index_t z = along_z.first; z < along_z.end; ++z)
            CK_NOT_UNROLLED
        for(index_t y = along_y.first; y < along_y.end; ++y)
        {
            const long_index_t row =
                ((place.image * depth.input + along_z.begin + z * depth.dilation) * height.input +
                 along_y.begin + y * height.dilation) *
                    width.input +
                along_x.begin;
            CK_NOT_UNROLLED
            for(index_t first = along_x.first; first < along_x.end; first += together)
            {
                Elements loaded[together];
                index_t taps[together];
                repeat<together>([&](index_t u) { // the last one again in place of a missing one
                    taps[u]   = first + u < along_x.end ? first + u : along_x.end - 1;
                    loaded[u] = arch::read_whole<Elements>(
                        p.x + (row + taps[u] * width.dilation) * channels + place.channel);
                });
                repeat<together>([&](index_t u) {
                    const index_t tap = (z * height.window + y) * width.window + taps[u];
                    repeat<vector>([&](index_t e) {
                        const Acc value = type_convert<Acc>(loaded[u][e]);
                        if(is_first || value > best[e] || value != value)
                            best[e] = value, best_tap[e] = tap;
                    });
                    is_first = false;
                });
            }
        }
        const long_index_t at =
            (((place.image * depth.output + place.z) * height.output + place.y) * width.output +
             place.x) *
                channels +
            place.channel;
        Elements result;
        repeat<vector>([&](index_t e) { result[e] = type_convert<T>(best[e]); });
        arch::write_undivided(p.y + at, result);
        if(p.taps == nullptr)
            return;
        Vector<std::uint8_t, vector> stored;
        repeat<vector>([&](index_t e) { stored[e] = static_cast<std::uint8_t>(best_tap[e]); });
        arch::write_undivided(p.taps + at, stored);
    }
};

/// dx = the sum of dy over the windows whose largest x it is.
template <class T, index_t vector_>
struct MaxPoolGradient
{
    static constexpr index_t block_size            = pool::block_size;
    static constexpr index_t min_blocks_per_cu     = 4;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector                = vector_;

    struct Params
    {
        Geometry geometry;
        long_index_t images;
        const T* dy;
        const std::uint8_t* taps;
        T* dx;
    };
    struct SharedStorage
    {};

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const long_index_t channels = p.geometry.channels;
        const Extent &depth = p.geometry.depth, &height = p.geometry.height,
                     &width = p.geometry.width;
        const Place<vector> place(channels, depth.input, height.input, width.input);
        if(place.image >= p.images)
            return;
        const Extent::Outputs along_z = depth.outputs_of(place.z),
                              along_y = height.outputs_of(place.y),
                              along_x = width.outputs_of(place.x);
        using Acc                     = AccOf<T>;
        Acc sum[vector]{};
        CK_NOT_UNROLLED
        for(index_t z = along_z.first; z < along_z.end; ++z)
            CK_NOT_UNROLLED
        for(index_t y = along_y.first; y < along_y.end; ++y)
        {
            const index_t tap_z = depth.tap(z, place.z), tap_y = height.tap(y, place.y);
            if(tap_z < 0 || tap_y < 0)
                continue;
            const long_index_t row =
                ((place.image * depth.output + z) * height.output + y) * width.output;
            CK_NOT_UNROLLED
            for(index_t x = along_x.first; x < along_x.end; ++x)
            {
                const index_t tap_x   = width.tap(x, place.x),
                              tap     = (tap_z * height.window + tap_y) * width.window + tap_x;
                const long_index_t at = (row + x) * channels + place.channel;
                const auto dy         = arch::read_whole<Vector<T, vector>>(p.dy + at);
                const auto taps       = arch::read_whole<Vector<std::uint8_t, vector>>(p.taps + at);
                repeat<vector>([&](index_t e) {
                    if(tap_x >= 0 && index_t{taps[e]} == tap)
                        sum[e] += type_convert<Acc>(dy[e]);
                });
            }
        }
        Vector<T, vector> result;
        repeat<vector>([&](index_t e) { result[e] = type_convert<T>(sum[e]); });
        arch::write_undivided(
            p.dx +
                (((place.image * depth.input + place.z) * height.input + place.y) * width.input +
                 place.x) *
                    channels +
                place.channel,
            result);
    }
};

} // namespace ck::pool
