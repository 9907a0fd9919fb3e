#pragma once
// Sums of a quantized convolution's operands, which their zero points are multiplied by.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"
#include "ck/tensor_operation/gpu/grid/valid_taps.hpp"

#include <cstdint>
#include <tuple>

namespace ck::grid {

/// Sums of elements along one dimension, each less `zero`. A thread computes a sum.
template <class T>
struct GridwiseSumAlong : FlatVectors<FlatIndex<6, 2>, 1>
{
    struct Params
    {
        const T* from;
        std::int32_t* to;
        FlatIndex<6, 2> index; ///< each sum's offset in `to`, and its first element's in `from`
        long_index_t count;    ///< elements of a sum
        long_index_t stride;   ///< from one to the next
        std::int32_t zero;     ///< subtracted from each

        auto addresses() const { return std::tie(from, to); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        if(number(0) >= p.index.count)
            return;
        const auto at    = p.index(number(0));
        const T* from    = p.from + at[1];
        std::int32_t sum = 0;
        for(long_index_t i = 0; i < p.count; ++i)
            sum += from[i * p.stride] - p.zero;
        p.to[at[0]] = sum;
    }
};

/// For each output pixel the sum of a window of X, padding left out. From: [image of all
/// groups][input pixel], the sums of X's channels; to: [pixel of all images][group].
struct GridwiseWindowSums : FlatVectors<FlatIndex<1, 1>, 1>
{
    struct Params
    {
        const std::int32_t* from;
        std::int32_t* to;
        long_index_t count;  ///< number of sums
        long_index_t images; ///< N
        index_t groups;      ///< G
        ValidTaps taps;

        auto addresses() const { return std::tie(from, to); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    static long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.count, long_index_t{block_size});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const long_index_t at = number(0);
        if(at >= p.count)
            return;
        const ValidTaps& t       = p.taps;
        const long_index_t pixel = at / p.groups, group = at - pixel * p.groups;
        const ValidTaps::Pixel out = t.pixel(pixel);
        const ValidTaps::Box box   = t.valid(out);
        const std::int32_t* const from =
            p.from + (group * p.images + out.image) * t.input[0] * t.input[1] * t.input[2];
        std::int32_t sum = 0;
        for(index_t z = box.begin[0]; z < box.end[0]; ++z)
            for(index_t y = box.begin[1]; y < box.end[1]; ++y)
                for(index_t x = box.begin[2]; x < box.end[2]; ++x)
                    sum += from[((t.first(0, out.at[0]) + z * t.dilation[0]) * t.input[1] +
                                 t.first(1, out.at[1]) + y * t.dilation[1]) *
                                    t.input[2] +
                                t.first(2, out.at[2]) + x * t.dilation[2]];
        p.to[at] = sum;
    }
};

} // namespace ck::grid
