#pragma once
// Which taps of a filter meet the input, and which meet padding, at an output pixel.
#include "ck/utility/magic_division.hpp"

namespace ck::grid {

/// The sizes of a convolution's three spatial dimensions.
struct ValidTaps
{
    index_t input[3];         ///< lengths of the input
    index_t filter[3];        ///< taps
    Divisor output[3];        ///< lengths of the output
    Divisor image;            ///< pixels of an image of the output
    long_index_t stride[3];   ///< stride between the output's pixels
    long_index_t dilation[3]; ///< dilation between taps
    long_index_t pad_low[3];  ///< pads before index 0

    /// Taps from `begin` to `end` of each dimension.
    struct Box
    {
        index_t begin[3], end[3];
    };

    /// An output pixel: the number of its image, and its coordinates there.
    struct Pixel
    {
        long_index_t image;
        index_t at[3];
    };
    /// number: among the pixels of all images.
    CK_HOST_DEVICE CK_INLINE Pixel pixel(long_index_t number) const
    {
        constexpr long_index_t bound = long_index_t{1} << 31; // quotients by a Divisor stay below
        const long_index_t before =
            number < bound ? quotient(static_cast<index_t>(number), image) : number / image.value;
        const auto in_image = static_cast<index_t>(number - before * image.value);
        const index_t line = quotient(in_image, output[2]), plane = quotient(line, output[1]);
        return {before, {plane, line - plane * output[1].value, in_image - line * output[2].value}};
    }

    /// Index of the input that the first tap meets; may be outside.
    CK_HOST_DEVICE CK_INLINE long_index_t first(index_t d, index_t at) const
    {
        return at * stride[d] - pad_low[d];
    }

    /// Whether all taps meet the input.
    CK_HOST_DEVICE CK_INLINE bool all_valid(const Pixel& pixel) const
    {
        bool all = true;
        for(index_t d = 0; d < 3; ++d)
        {
            const long_index_t from = first(d, pixel.at[d]);
            all = all && from >= 0 && from + (filter[d] - 1) * dilation[d] < input[d];
        }
        return all;
    }

    /// The taps that meet the input.
    CK_HOST_DEVICE CK_INLINE Box valid(const Pixel& pixel) const
    {
        Box box{};
        for(index_t d = 0; d < 3; ++d)
        {
            const long_index_t from = first(d, pixel.at[d]);
            box.begin[d]            = taps_below(d, -from);
            box.end[d]              = taps_below(d, input[d] - from);
        }
        return box;
    }

private:
    /// The number of taps at less than `reach` from the first.
    CK_HOST_DEVICE CK_INLINE index_t taps_below(index_t d, long_index_t reach) const
    {
        if(reach <= 0)
            return 0;
        const long_index_t taps = (reach + dilation[d] - 1) / dilation[d];
        return taps < filter[d] ? static_cast<index_t>(taps) : filter[d];
    }
};

} // namespace ck::grid
