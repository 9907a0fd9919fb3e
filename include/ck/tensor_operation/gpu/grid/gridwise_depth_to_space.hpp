#pragma once
// Writes dX from packed blocks of its pixels (pixel_blocks.hpp), [image][blocks of D, H,
// W][columns]. A block's filters contain zeros where a tap does not contribute, and zero times Inf
// or NaN is NaN. So elements that are not finite are computed again with their own taps only, which
// takes time only if there are any.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/grid/pixel_blocks.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <tuple>

namespace ck::grid {

/// Each thread writes a vector of a line. A line is contiguous in a row of dX: channels of
/// pixels, or, if channels are not contiguous, pixels of one channel. Vectors longer than one
/// run along channels, and a block's part of a line is a whole number of vectors. Definition:
/// of dX; compute(params, number) writes element `number`, counted by channels first, then
/// columns.
template <class T, class Definition, index_t vector>
struct GridwiseDepthToSpace
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        const T* in;
        T* dx;
        PixelBlocks blocks;
        long_index_t image_stride, channel_stride, strides[3]; ///< strides of dX, in elements
        long_index_t count;     ///< vectors of dX; of 64 bits, so that no padding follows `block`
        Divisor line;           ///< vectors of a line
        Divisor line_channels;  ///< channels of a line: those of a pixel, or 1
        Divisor other_channels; ///< lines of a row: 1, or the channels of a pixel
        Divisor rows, planes;   ///< rows, and planes, of an image
        Divisor block[3];       ///< pixels of a block
        typename Definition::Params definition;

        auto addresses() const { return std::tie(in, dx, definition); }
    };
    struct SharedStorage
    {};

    static long_index_t grid_size(const Params& p)
    {
        return (p.count + block_size - 1) / block_size;
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        index_t image = arch::block_index() * block_size + arch::thread_index();
        if(image >= p.count)
            return;
        index_t column = split_off(image, p.line) * vector;
        const index_t channel =
                          split_off(column, p.line_channels) + split_off(image, p.other_channels),
                      row = split_off(image, p.rows), plane = split_off(image, p.planes);
        const index_t at[3] = {plane, row, column};

        long_index_t block = image, to = image * p.image_stride + channel * p.channel_stride;
        index_t pixel = 0; // pixel in the block
        for(index_t i = 0; i < 3; ++i)
        {
            index_t number  = at[i];
            const index_t e = split_off(number, p.block[i]);
            pixel           = pixel * p.blocks.axes[i].block + e;
            block           = block * p.blocks.axes[i].blocks + number;
            to += at[i] * p.strides[i];
        }
        using Elements        = Vector<T, vector>;
        const Elements result = *reinterpret_cast<const Elements*>(
            p.in + block * p.blocks.columns + pixel * p.blocks.channels + channel);
        float zero = 0; // NaN where one is not finite
        repeat<vector>([&](index_t e) { zero += type_convert<float>(result[e]) * 0.f; });
        if(zero == 0)
        {
            *reinterpret_cast<Elements*>(p.dx + to) = result;
            return;
        }
        long_index_t number = image;
        for(index_t i = 0; i < 3; ++i)
            number = number * p.blocks.axes[i].pixels + at[i];
        CK_NOT_UNROLLED
        for(index_t e = 0; e < vector; ++e)
            Definition::compute(p.definition, number * p.blocks.channels + channel + e);
    }
};

} // namespace ck::grid
