#pragma once
// Operands as boxes of pixels, for copies by tensor map: the pixels that each filter tap reads, one
// tap after another.
#include "ck/tensor_operation/operator_transform/backward_data.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"

namespace ck {

/// The pixels of one image that a phase's output pixels (`count` per spatial dimension) read with
/// one tap: output pixel i and tap t read pixel first + step * i + offset + offset_step * t.
/// Dimensions are in the order w, h, d.
struct PixelWindows
{
    struct Dimension
    {
        Divisor count;       // output pixels
        index_t first, step; // first pixel that is read, and the step to the next output's
        Divisor taps;
        index_t offset, offset_step; // added by a tap; never negative
        index_t filter, filter_step; // place of a tap in the filter

        /// A dimension in which taps advance in the order of the filter.
        CK_HOST_DEVICE static constexpr Dimension forward(const PixelMap& w)
        {
            return {w.count, -w.pad, w.step, w.taps, 0, w.tap_step, 0, 1};
        }
        /// A dimension in which each tap moves back; `filter_step` leads to the next tap in the
        /// filter.
        CK_HOST_DEVICE static constexpr Dimension
        backward(const PixelMap& w, index_t filter, index_t filter_step)
        {
            const index_t all = -w.tap_step * math::max(w.taps.value - 1, 0);
            return {w.count, -w.pad - all, w.step, w.taps, all, w.tap_step, filter, filter_step};
        }
    };
    Dimension dimension[3];

    /// Coordinates of an output pixel.
    struct Pixel
    {
        index_t spatial[3], image;
    };
    CK_HOST_DEVICE constexpr Pixel pixel(index_t number) const
    {
        Pixel p{};
        for(int i = 0; i < 3; ++i)
        {
            const Dimension& d = dimension[i];
            const index_t rest = quotient(number, d.count);
            p.spatial[i]       = d.first + (number - rest * d.count.value) * d.step;
            number             = rest;
        }
        p.image = number;
        return p;
    }

    CK_HOST_DEVICE constexpr index_t tap_count() const
    {
        return dimension[0].taps.value * dimension[1].taps.value * dimension[2].taps.value;
    }

    /// What tap `number` adds to each coordinate, and its index in the filter.
    struct Tap
    {
        index_t offset[3], filter[3];
    };
    CK_HOST_DEVICE constexpr Tap tap(index_t number) const
    {
        Tap t{};
        for(int i = 0; i < 3; ++i)
        {
            const Dimension& d = dimension[i];
            const index_t rest = quotient(number, d.taps), at = number - rest * d.taps.value;
            t.offset[i] = d.offset + at * d.offset_step;
            t.filter[i] = d.filter + at * d.filter_step;
            number      = rest;
        }
        return t;
    }
};

/// X of forward and backward weight.
CK_HOST_DEVICE constexpr PixelWindows input_windows(const ConvViews& v)
{
    PixelWindows r{};
    for(int i = 0; i < 3; ++i)
        r.dimension[i] = PixelWindows::Dimension::forward(v.dimension[2 - i].x);
    return r;
}

/// dY of backward weight: each pixel is read once.
CK_HOST_DEVICE constexpr PixelWindows output_windows(const ConvViews& v)
{
    PixelWindows r{};
    for(int i = 0; i < 3; ++i)
        r.dimension[i] = {v.dimension[2 - i].x.count, 0, 1, make_divisor(1), 0, 0, 0, 0};
    return r;
}

/// A, for a phase of each of the three directions.
CK_HOST_DEVICE constexpr PixelWindows a_windows(const Forward& f, index_t)
{
    return input_windows(f.views);
}
CK_HOST_DEVICE constexpr PixelWindows a_windows(const BackwardData& b, index_t number)
{
    const BackwardData::Residues all = b.residues(number);
    PixelWindows r{};
    for(int i = 0; i < 3; ++i)
    {
        const BackwardData::Dimension& d = b.dimension[2 - i];
        const BackwardData::Residue& c   = i == 0 ? all.w : i == 1 ? all.h : all.d;
        r.dimension[i]                   = PixelWindows::Dimension::backward(
            BackwardData::pixel_map(d, c), c.yt, d.tap_step.value);
    }
    return r;
}
CK_HOST_DEVICE constexpr PixelWindows a_windows(const BackwardWeight& w, index_t)
{
    return output_windows(w.views);
}

} // namespace ck
