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
/// of dX or its columns are neighbours.
template <class T>
struct GridwiseDepthToSpace
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    /// Of a tensor, in elements.
    struct Strides
    {
        long_index_t image, channel, axes[3];
    };
    struct Params
    {
        const T *in, *dy, *w; ///< blocks; dY and W as they are
        T* dx;
        PixelBlocks blocks;
        Strides dx_strides, dy_strides, w_strides; ///< W's image: k, as dY's channel
        index_t count, outputs_channels;           ///< elements of dX; K
        bool channels_inside;                      ///< threads count channels first, then columns
        Divisor channels, pixels[3], block[3];
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

        long_index_t block = image,
                     to    = image * p.dx_strides.image + channel * p.dx_strides.channel;
        index_t pixel      = 0; // of the block
        for(index_t i = 0; i < 3; ++i)
        {
            index_t number  = at[i];
            const index_t e = split_off(number, p.block[i]);
            pixel           = pixel * p.blocks.axes[i].block + e;
            block           = block * p.blocks.axes[i].blocks + number;
            to += at[i] * p.dx_strides.axes[i];
        }
        T result = p.in[block * p.blocks.columns + pixel * p.blocks.channels + channel];
        if(const float x = type_convert<float>(result); x - x != 0)
            result = type_convert<T>(own_sum(p, image, channel, at));
        p.dx[to] = result;
    }

private:
    /// The element of dX as the definition has it: padding of dY is zeros that are multiplied.
    CK_DEVICE static float
    own_sum(const Params& p, index_t image, index_t channel, const index_t (&at)[3])
    {
        const auto [z_axis, y_axis, x_axis] = p.blocks.axes;
        const long_index_t dy_first         = image * p.dy_strides.image,
                           w_first          = channel * p.w_strides.channel;
        float sum                           = 0;
        CK_NOT_UNROLLED
        for(index_t z = 0; z < z_axis.filter; ++z)
            CK_NOT_UNROLLED
        for(index_t y = 0; y < y_axis.filter; ++y)
            CK_NOT_UNROLLED
        for(index_t x = 0; x < x_axis.filter; ++x)
        {
            const index_t taps[3] = {z, y, x};
            long_index_t dy = dy_first, w = w_first;
            bool meets = true, inside = true;
            for(index_t i = 0; i < 3; ++i)
            {
                const BlockedAxis& a = p.blocks.axes[i];
                const index_t reach = at[i] + a.pad - taps[i] * a.dilation, from = reach / a.stride;
                meets  = meets && reach % a.stride == 0;
                inside = inside && reach >= 0 && from < a.outputs;
                dy += from * p.dy_strides.axes[i];
                w += taps[i] * p.w_strides.axes[i];
            }
            CK_NOT_UNROLLED
            for(index_t k = 0; meets && k < p.outputs_channels; ++k)
                sum += type_convert<float>(p.w[w + k * p.w_strides.image]) *
                       (inside ? type_convert<float>(p.dy[dy + k * p.dy_strides.channel]) : 0.f);
        }
        return sum;
    }
};

} // namespace ck::grid
