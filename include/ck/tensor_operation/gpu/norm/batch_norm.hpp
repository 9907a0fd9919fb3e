#pragma once
// The second launch of batch norm: what it makes of the sums of each channel.
#include "ck/tensor_operation/gpu/norm/combine.hpp"
#include "ck/tensor_operation/gpu/norm/moments.hpp"

namespace ck::norm {

/// Adds the sums of a channel's ranges. Finish::run(params, channel, first sum, second sum)
/// processes them.
template <class Acc, class Finish>
struct OfChannels
{
    struct Params
    {
        const Acc* partial; ///< [ranges][2][channels]
        index_t ranges;
        long_index_t statistics; ///< channels
        typename Finish::Params finish;
    };

    CK_DEVICE CK_INLINE static void
    add(const Params& p, long_index_t channel, index_t first, index_t step, double (&sum)[2])
    {
        for(index_t range = first; range < p.ranges; range += step)
        {
            const Acc* const of_range = p.partial + 2 * range * p.statistics + channel;
            sum[0] += static_cast<double>(of_range[0]);
            sum[1] += static_cast<double>(of_range[p.statistics]);
        }
    }
    CK_DEVICE CK_INLINE static void
    finish(const Params& p, long_index_t channel, double first, double second)
    {
        Finish::run(p.finish, channel, first, second);
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
        const Moments<Acc> m(p.pivot[c], sum, squares, p.rows, p.epsilon);
        const double scale =
            p.weight == nullptr ? m.inverse : m.inverse * static_cast<double>(p.weight[c]);
        const double bias      = p.bias == nullptr ? 0 : static_cast<double>(p.bias[c]);
        p.mean[c]              = m.stored;
        p.inverse_deviation[c] = static_cast<Acc>(m.inverse);
        p.scale[c]             = static_cast<Acc>(scale);
        // x is close to the stored mean, which is rounded: the shift corrects for this.
        p.shift[c] = static_cast<Acc>(bias + m.rounded * scale);
        if(p.running_mean == nullptr)
            return;
        const auto update = [&](Acc& running, double value) {
            running = static_cast<Acc>((1 - p.momentum) * static_cast<double>(running) +
                                       p.momentum * value);
        };
        update(p.running_mean[c], m.mean);
        update(p.running_variance[c], m.variance * p.rows / (p.rows - 1));
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

} // namespace ck::norm
