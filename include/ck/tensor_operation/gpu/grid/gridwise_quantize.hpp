#pragma once
// Makes the result of a quantized convolution from its integer sums: subtracts what zero points
// add, adds the bias, scales, adds the residual, rounds.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/element/quantized_epilogue.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"
#include "ck/tensor_operation/gpu/grid/residual_type.hpp"
#include "ck/tensor_operation/gpu/grid/valid_taps.hpp"

#include <cstdint>
#include <tuple>

namespace ck::grid {

/// T: type of the result. A thread computes some vectors that are contiguous in the result.
template <class T, index_t vector>
struct GridwiseQuantize : FlatVectors<FlatIndex<6, 4>, 2>
{
    using Operation = tensor_operation::element_wise::QuantizedEpilogue;

    struct Params
    {
        const std::int32_t* sum;     ///< sums of products of X and W without their zero points
        T* result;                   ///< is written
        const float* scale;          ///< scale of each channel of all groups; null: 1
        const std::int32_t* bias;    ///< bias of each channel of all groups; null: 0
        const void* residual;        ///< at the result's offsets
        const std::int32_t* filters; ///< GridwiseSumAlong of W: [tap][channel of all groups], then
                                     ///< the sums of all taps; null: X's zero point is 0
        const std::int32_t* windows; ///< GridwiseWindowSums of X: [pixel of all images][group];
                                     ///< null: W's zero point is 0
        /// For each vector: its offset in the result, its offset among the sums, its channel and
        /// its pixel.
        FlatIndex<6, 4> index;
        index_t channel_step, pixel_step; ///< from an element of a vector to the next
        long_index_t sum_step;       ///< among the sums, from an element of a vector to the next
        index_t channels;            ///< channels of all groups
        index_t group_channels;      ///< channels of one group
        index_t groups;              ///< number of groups
        std::int32_t x_zero, w_zero; ///< zero points
        float scale_of_all;          ///< if `scale` is null
        ResidualType residual_type;
        ValidTaps taps;
        Operation operation;

        auto addresses() const
        {
            return std::tie(sum, result, scale, bias, residual, filters, windows);
        }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        for(index_t i = 0; i < together; ++i)
            if(number(i) < p.index.count)
                quantize(p, p.index(number(i)));
    }

private:
    CK_DEVICE CK_INLINE static void quantize(const Params& p, const Vector<long_index_t, 4>& at)
    {
        Vector<std::int32_t, vector> sum;
        if(vector > 1 && p.sum_step == 1)
            sum = *reinterpret_cast<const Vector<std::int32_t, vector>*>(p.sum + at[1]);
        else
            repeat<vector>([&](index_t e) { sum[e] = p.sum[at[1] + e * p.sum_step]; });
        Vector<T, vector> result;
        Taps taps{};
        repeat<vector>([&](index_t e) {
            const auto channel       = static_cast<index_t>(at[2] + e * p.channel_step);
            const long_index_t pixel = at[3] + e * p.pixel_step;
            long_index_t total       = sum[e];
            if(p.filters != nullptr)
            {
                if(e == 0 || p.pixel_step != 0)
                    taps = taps_at(p, pixel);
                total -= long_index_t{p.x_zero} * filter_sum(p, channel, taps);
            }
            if(p.windows != nullptr)
                total -= long_index_t{p.w_zero} *
                         p.windows[pixel * p.groups + channel / p.group_channels];
            if(p.bias != nullptr)
                total += p.bias[channel];
            const float scale = p.scale != nullptr ? p.scale[channel] : p.scale_of_all;
            result[e]         = p.operation.template value<T>(total, scale, residual(p, at[0] + e));
        });
        *reinterpret_cast<Vector<T, vector>*>(p.result + at[0]) = result;
    }

    /// The taps that do not meet padding.
    struct Taps
    {
        bool all;
        ValidTaps::Box box;
    };
    CK_DEVICE CK_INLINE static Taps taps_at(const Params& p, long_index_t pixel)
    {
        const auto at = p.taps.pixel(pixel);
        return p.taps.all_valid(at) ? Taps{true, {}} : Taps{false, p.taps.valid(at)};
    }

    /// The sum of a filter's elements at these taps.
    CK_DEVICE CK_INLINE static long_index_t
    filter_sum(const Params& p, index_t channel, const Taps& taps)
    {
        const index_t* const filter = p.taps.filter;
        if(taps.all)
            return p
                .filters[long_index_t{filter[0]} * filter[1] * filter[2] * p.channels + channel];
        const ValidTaps::Box& box = taps.box;
        long_index_t sum          = 0;
        for(index_t z = box.begin[0]; z < box.end[0]; ++z)
            for(index_t y = box.begin[1]; y < box.end[1]; ++y)
                for(index_t x = box.begin[2]; x < box.end[2]; ++x)
                    sum +=
                        p.filters[((long_index_t{z} * filter[1] + y) * filter[2] + x) * p.channels +
                                  channel];
        return sum;
    }

    CK_DEVICE CK_INLINE static double residual(const Params& p, long_index_t at)
    {
        if(p.residual_type == ResidualType::none)
            return 0;
        const double x = residual_at(p.residual, p.residual_type, at);
        return (x - p.operation.residual_zero) * static_cast<double>(p.operation.residual_scale);
    }
};

} // namespace ck::grid
