#pragma once
// Backward data with strides of 2: all phases of dX in one tile. The even and odd phases of a
// strided dimension read the same pixels of dY, except that one phase has one more filter tap if
// the filter length is odd.
#include "ck/tensor_operation/operator_transform/backward_data.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

namespace ck {

/// Positions and shifts: at shift t, each phase with a tap there reads the pixel of dY at its
/// position plus t's offset. In each dimension all phases have all shifts, except perhaps the
/// last. A phase number has one bit per strided dimension, w first: 1 for the phase with more
/// taps.
struct PhaseGrid
{
    static constexpr index_t most_phases = 8;

    struct Dimension
    {
        Divisor count; ///< positions
        index_t pixel; ///< pixel of dY at position 0 and offset 0
        index_t shifts;
        index_t offset, offset_step; ///< shift t: offset + t * offset_step, never below 0
        index_t stride, elements;    ///< pixels, and elements, of dX from a position to the next
        index_t last_needs;          ///< bits of phases that have a tap at the last shift
    };
    /// All w h d.
    struct Phase
    {
        index_t first[3], rows[3]; ///< positions, as windows() say them, that are its pixels
        index_t pixel[3];          ///< pixel of dX at position `first`
        index_t filter[3], filter_step[3]; ///< place of shift t's tap in the filter
        index_t offset;                    ///< elements of dX, from what PhaseGrid::offset() says
    };
    Dimension dimension[3]; ///< w h d
    Phase of_phase[most_phases];

    /// Why a problem has no such grid, or nullptr. bits: number of strided dimensions.
    static const char* why_not(const ConvProblem& p, index_t bits);

    /// Requires a problem for which why_not() is null.
    static PhaseGrid make(const BackwardData& b);

    /// Positions of one image.
    constexpr index_t positions() const
    {
        return dimension[0].count.value * dimension[1].count.value * dimension[2].count.value;
    }

    /// dY as windows at all positions. Taps are shifts, without their places in the filter.
    CK_HOST_DEVICE constexpr PixelWindows windows() const
    {
        PixelWindows r{};
        for(int i = 0; i < 3; ++i)
        {
            const Dimension& d = dimension[i];
            r.dimension[i]     = {
                    d.count, d.pixel, 1, make_divisor(d.shifts), d.offset, d.offset_step, 0, 0};
        }
        return r;
    }

    /// Whether a phase has a pixel at a position (a pixel of windows()) of one of `images` images.
    CK_HOST_DEVICE constexpr bool
    exists(const PixelWindows::Pixel& place, const Phase& c, index_t images) const
    {
        bool all = place.image < images;
        for(int i = 0; i < 3; ++i)
            all =
                all && place.spatial[i] >= c.first[i] && place.spatial[i] - c.first[i] < c.rows[i];
        return all;
    }
    /// A pixel of dX: image, d, h, w.
    struct Pixel
    {
        index_t at[4];

        CK_HOST_DEVICE constexpr index_t operator[](index_t i) const { return at[i]; }
    };
    /// The pixel of a phase for which exists() holds.
    CK_HOST_DEVICE constexpr Pixel pixel(const PixelWindows::Pixel& place, const Phase& c) const
    {
        Pixel r{{place.image, 0, 0, 0}};
        for(int i = 0; i < 3; ++i)
            r.at[3 - i] = c.pixel[i] + (place.spatial[i] - c.first[i]) * dimension[i].stride;
        return r;
    }
    /// Offset in dX, without the phase's. image: elements from one image to the next.
    CK_HOST_DEVICE constexpr index_t offset(const PixelWindows::Pixel& place, index_t image) const
    {
        return place.image * image + place.spatial[0] * dimension[0].elements +
               place.spatial[1] * dimension[1].elements + place.spatial[2] * dimension[2].elements;
    }
};

inline const char* PhaseGrid::why_not(const ConvProblem& p, index_t bits)
{
    index_t strided = 0;
    for(std::size_t i = 0; i < 3; ++i)
    {
        strided += p.stride[i] > 1;
        if(p.stride[i] > 2)
            return "a stride is longer than 2";
        if(p.stride[i] == 2 && p.dilation[i] % 2 == 0)
            return "stride and dilation are even: phases without taps";
        if(p.stride[i] == 2 && p.filter[i] == 1)
            return "a filter is shorter than the stride: phases without taps";
        if(p.stride[i] * p.dilation[i] >= 1 << 30)
            return "a stride times a dilation is 2^30 or more";
    }
    return strided == bits ? nullptr
                           : "as many dimensions must have a stride of 2 as its phases "
                             "are told apart by";
}

inline PhaseGrid PhaseGrid::make(const BackwardData& b)
{
    PhaseGrid r{};
    index_t bit = 0;
    for(int i = 0; i < 3; ++i)
    {
        const BackwardData::Dimension& d = b.dimension[2 - i];
        const bool strided               = d.stride.value > 1;
        // Phase 1 has as many taps as phase 0, or one more.
        const BackwardData::Residue one = BackwardData::residue(d, 0),
                                    two = BackwardData::residue(d, strided ? 1 : 0);
        const index_t taps              = one.taps.value;
        const bool uneven               = two.taps.value < taps;
        // Put taps in the order of the filter or in reverse, so that phase 0 has the first
        // shifts and the fewest positions are needed. Phase 0's first pixel is `away` from phase
        // 1's.
        const auto positions = [&](index_t away) {
            return math::max(one.rows.value, away + two.rows.value) - math::min(0, away);
        };
        const index_t same = two.ho0 - one.ho0, back = same + d.back;
        const bool reversed = uneven && positions(back) < positions(same);
        const index_t away = reversed ? back : same, first_of_one = math::max(0, -away),
                      pixel = one.ho0 - first_of_one - d.back * (taps - 1);
        r.dimension[i]      = {make_divisor(positions(away)),
                               pixel,
                               taps,
                          reversed ? 0 : d.back * (taps - 1),
                          reversed ? d.back : -d.back,
                               d.stride.value,
                               d.stride.value * d.dx_stride,
                          uneven ? 1 << bit : 0};
        for(index_t number = 0; number < most_phases; ++number)
        {
            const bool is_one               = !strided || (number >> bit & 1) != 0;
            const BackwardData::Residue& of = is_one ? one : two;
            const index_t last              = d.tap_step.value * (of.taps.value - 1);
            Phase& c                        = r.of_phase[number];
            c.first[i]                      = pixel + (is_one ? first_of_one : math::max(0, away));
            c.rows[i]                       = of.rows.value;
            c.pixel[i]                      = of.h0;
            c.filter[i]                     = of.yt + (reversed ? last : 0);
            c.filter_step[i]                = reversed ? -d.tap_step.value : d.tap_step.value;
            c.offset += (c.pixel[i] - c.first[i] * d.stride.value) * d.dx_stride;
        }
        bit += strided;
    }
    return r;
}

} // namespace ck
