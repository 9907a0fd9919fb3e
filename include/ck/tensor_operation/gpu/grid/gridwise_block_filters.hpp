#pragma once
// Filters of a convolution of dY that computes blocks of pixels of dX (pixel_blocks.hpp). Packed as
// [column of a block][taps of the blocks' filter][K], with zeros where a tap does not contribute to
// a pixel.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/grid/pixel_blocks.hpp"
#include "ck/utility/magic_division.hpp"

#include <tuple>

namespace ck::grid {

/// Each thread writes one element.
template <class T>
struct GridwiseBlockFilters
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        const T* w;
        T* out;
        PixelBlocks blocks;
        long_index_t k_stride, c_stride, tap_strides[3]; ///< strides of W, in elements
        index_t count;                                   ///< elements of the result
        Divisor k, taps[3], block[3], channels;

        auto addresses() const { return std::tie(w, out); }
    };
    struct SharedStorage
    {};

    static long_index_t grid_size(const Params& p)
    {
        return (long_index_t{p.count} + block_size - 1) / block_size;
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        index_t rest = arch::block_index() * block_size + arch::thread_index();
        if(rest >= p.count)
            return;
        const index_t to  = rest;
        long_index_t from = split_off(rest, p.k) * p.k_stride;
        index_t number[3];
        for(index_t i = 3; i-- > 0;)
            number[i] = split_off(rest, p.taps[i]);
        bool exists = rest < p.blocks.pixels() * p.blocks.channels;
        from += split_off(rest, p.channels) * p.c_stride;
        for(index_t i = 3; i-- > 0;)
        {
            const index_t e = split_off(rest, p.block[i]), tap = p.blocks.axes[i].tap(e, number[i]);
            exists = exists && tap >= 0;
            from += tap * p.tap_strides[i];
        }
        p.out[to] = exists ? p.w[from] : T{};
    }
};

} // namespace ck::grid
