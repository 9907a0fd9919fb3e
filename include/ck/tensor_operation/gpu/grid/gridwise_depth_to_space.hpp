#pragma once
// Writes dX from blocks of its pixels (pixel_blocks.hpp), which lie packed, [image][blocks of
// D, H, W][columns]. A block's filters have zeros where a pixel does not meet a tap, and zero times
// Inf or NaN is NaN: so elements that are not finite are computed again, of their own taps alone.
// That takes time only where there are such elements.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/grid/pixel_blocks.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// A thread writes an element; neighbours in memory are neighbouring threads', where the channels
/// of dX or its columns are neighbours. Definition: of dX; compute(params, number) writes element
/// `number`, counted channels first, then columns.
template <class T, class Definition>
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
        long_index_t image_stride, channel_stride, strides[3]; ///< of dX, elements
        index_t count;                                         ///< elements of dX
        bool channels_inside; ///< threads count channels first, then columns
        Divisor channels, pixels[3], block[3];
        typename Definition::Params definition;
    };
    struct SharedStorage
    {};

    static long_index_t grid_size(const Params& p)
    {
        return (long_index_t{p.count} + block_size - 1) / block_size;
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        index_t image = arch::block_index() * block_size + arch::thread_index();
        if(image >= p.count)
            return;
        index_t channel = 0, at[3];
        if(p.channels_inside)
            channel = split_off(image, p.channels);
        for(index_t i = 3; i-- > 0;)
            at[i] = split_off(image, p.pixels[i]);
        if(!p.channels_inside)
            channel = split_off(image, p.channels);

        long_index_t block = image, to = image * p.image_stride + channel * p.channel_stride;
        index_t pixel = 0; // of the block
        for(index_t i = 0; i < 3; ++i)
        {
            index_t number  = at[i];
            const index_t e = split_off(number, p.block[i]);
            pixel           = pixel * p.blocks.axes[i].block + e;
            block           = block * p.blocks.axes[i].blocks + number;
            to += at[i] * p.strides[i];
        }
        const T result = p.in[block * p.blocks.columns + pixel * p.blocks.channels + channel];
        if(const float x = type_convert<float>(result); x - x == 0)
            p.dx[to] = result;
        else
        {
            long_index_t number = image;
            for(index_t i = 0; i < 3; ++i)
                number = number * p.blocks.axes[i].pixels + at[i];
            Definition::compute(p.definition, number * p.blocks.channels + channel);
        }
    }
};

} // namespace ck::grid
