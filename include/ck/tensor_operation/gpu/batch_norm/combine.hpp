#pragma once
// The second launch of forward and backward: turns the sums of the ranges into the third launch's
// factors. Takes a few microseconds: many threads add the sums of a channel, in f64.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"

#include <cmath>

namespace ck::batch_norm {

/// Finish processes a channel's sums: Finish::Params, and Finish::run(params, channel, first sum,
/// second sum).
template <class Acc, class Finish>
struct Combine
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        const Acc* partial; ///< [ranges][2][channels]
        index_t ranges;
        index_t lanes; ///< channels of a block: a power of two, at most 32
        long_index_t channels;
        typename Finish::Params finish;
    };
    struct SharedStorage
    {
        double sum[2][block_size];
    };

    static constexpr bool starts_early(const Params&) { return true; }

    /// Each thread adds about four sums.
    static constexpr index_t lanes(index_t ranges)
    {
        index_t lanes = 32;
        while(lanes > 1 && block_size / lanes * 4 < ranges)
            lanes /= 2;
        return lanes;
    }
    static constexpr index_t grid_size(const Params& p)
    {
        return static_cast<index_t>((p.channels + p.lanes - 1) / p.lanes);
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const index_t thread = arch::thread_index(), row_lanes = block_size / p.lanes,
                      row_lane     = thread / p.lanes;
        const long_index_t channel = long_index_t{arch::block_index()} * p.lanes + thread % p.lanes;
        const bool exists          = channel < p.channels;
        double sum[2]{};
        if(exists)
            for(index_t range = row_lane; range < p.ranges; range += row_lanes)
            {
                const Acc* const of_range = p.partial + 2 * range * p.channels + channel;
                sum[0] += static_cast<double>(of_range[0]);
                sum[1] += static_cast<double>(of_range[p.channels]);
            }
        shared.sum[0][thread] = sum[0];
        shared.sum[1][thread] = sum[1];
        CK_NOT_UNROLLED
        for(index_t half = row_lanes / 2; half > 0; half /= 2)
        {
            arch::block_sync();
            if(row_lane < half)
            {
                shared.sum[0][thread] += shared.sum[0][thread + half * p.lanes];
                shared.sum[1][thread] += shared.sum[1][thread + half * p.lanes];
            }
        }
        if(exists && row_lane == 0)
            Finish::run(p.finish, channel, shared.sum[0][thread], shared.sum[1][thread]);
    }
};

/// Computes mean, deviation, and scale and shift of y = activation((x - mean) * scale + shift).
template <class Acc>
struct FinishForward
{
    struct Params
    {
        const Acc* pivot;
        const Acc* weight; ///< or null
        const Acc* bias;   ///< or null
        Acc* mean;
        Acc* inverse_deviation;
        Acc* running_mean;     ///< or null
        Acc* running_variance; ///< or null
        Acc* scale;
        Acc* shift;
        double rows, epsilon, momentum;
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, long_index_t c, double sum, double squares)
    {
        const double from_pivot = sum / p.rows, pivot = static_cast<double>(p.pivot[c]),
                     mean       = pivot + from_pivot,
                     difference = squares / p.rows - from_pivot * from_pivot,
                     variance   = difference < 0 ? 0 : difference, // NaN stays NaN
            inverse             = 1 / std::sqrt(variance + p.epsilon);
        const Acc stored        = static_cast<Acc>(mean);
        // The stored mean is rounded, and x is close to it: the shift corrects for the rounding.
        const double rounded = static_cast<double>(stored) - pivot - from_pivot;
        const double scale =
            p.weight == nullptr ? inverse : inverse * static_cast<double>(p.weight[c]);
        const double bias      = p.bias == nullptr ? 0 : static_cast<double>(p.bias[c]);
        p.mean[c]              = stored;
        p.inverse_deviation[c] = static_cast<Acc>(inverse);
        p.scale[c]             = static_cast<Acc>(scale);
        p.shift[c]             = static_cast<Acc>(bias + rounded * scale);
        if(p.running_mean == nullptr)
            return;
        const auto update = [&](Acc& running, double value) {
            running = static_cast<Acc>((1 - p.momentum) * static_cast<double>(running) +
                                       p.momentum * value);
        };
        update(p.running_mean[c], mean);
        update(p.running_variance[c], variance * p.rows / (p.rows - 1));
    }
};

/// Computes the gradients of weight and bias, and the factors of dx = scale * dz + slope * (x -
/// mean) + shift. `sum` is the sum of dz, `moment` that of dz * (x - mean).
template <class Acc>
struct FinishBackward
{
    struct Params
    {
        const Acc* weight; ///< or null
        const Acc* inverse_deviation;
        Acc* d_weight; ///< or null
        Acc* d_bias;   ///< or null
        Acc* scale;
        Acc* slope;
        Acc* shift;
        double rows;
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, long_index_t c, double sum, double moment)
    {
        const auto inverse = static_cast<double>(p.inverse_deviation[c]);
        const double scale =
            p.weight == nullptr ? inverse : inverse * static_cast<double>(p.weight[c]);
        if(p.d_weight != nullptr)
            p.d_weight[c] = static_cast<Acc>(moment * inverse);
        if(p.d_bias != nullptr)
            p.d_bias[c] = static_cast<Acc>(sum);
        p.scale[c] = static_cast<Acc>(scale);
        p.slope[c] = static_cast<Acc>(-scale * inverse * inverse * (moment / p.rows));
        p.shift[c] = static_cast<Acc>(-scale * (sum / p.rows));
    }
};

} // namespace ck::batch_norm
