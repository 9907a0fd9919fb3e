#pragma once
// The second launch of group norm: what it makes of the sums of each group of an image, and in
// backward of each channel.
#include "ck/tensor_operation/gpu/norm/combine.hpp"
#include "ck/tensor_operation/gpu/norm/moments.hpp"
#include "ck/tensor_operation/gpu/norm/parameters.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::norm {

/// Sums of ranges of images, and where those of a group are.
template <class Acc>
struct GroupSums
{
    const Acc* partial; ///< [images][ranges][2][channels]
    index_t ranges;
    index_t channels, groups;

    CK_DEVICE CK_INLINE index_t group() const { return channels / groups; } ///< its channels
    CK_DEVICE CK_INLINE index_t image(long_index_t statistic) const
    {
        return static_cast<index_t>(statistic) / groups;
    }
    CK_DEVICE CK_INLINE index_t first_channel(long_index_t statistic) const
    {
        return static_cast<index_t>(statistic) % groups * group();
    }
    /// Calls use(channel, first sum, second sum) for every step-th term of a group.
    template <class Use>
    CK_DEVICE CK_INLINE void
    each(long_index_t statistic, index_t first, index_t step, const Use& use) const
    {
        const index_t of_group = group(), c0 = first_channel(statistic);
        const Acc* const of_image =
            partial + long_index_t{image(statistic)} * ranges * 2 * channels;
        for(index_t i = first; i < ranges * of_group; i += step)
        {
            const index_t c           = c0 + i % of_group;
            const Acc* const of_range = of_image + long_index_t{i / of_group} * 2 * channels + c;
            use(c, static_cast<double>(of_range[0]), static_cast<double>(of_range[channels]));
        }
    }
};

/// Computes a group's mean and deviation, and of each of its channels scale and shift of y =
/// activation((x - mean) * scale + shift).
template <class T, class Acc>
struct GroupForward
{
    static constexpr bool all_threads_finish = true;

    struct Params
    {
        GroupSums<Acc> sums;
        long_index_t statistics; ///< images times groups
        long_index_t pixels;
        const T* x; ///< its first value in a group was subtracted from the terms of the sums
        Parameters<T, Acc> weight; ///< or null
        Parameters<T, Acc> bias;   ///< or null
        Acc* mean;                 ///< [images][groups], as is inverse_deviation
        Acc* inverse_deviation;
        Acc* scale; ///< [images][channels], as is shift
        Acc* shift;
        double epsilon;
    };

    CK_DEVICE CK_INLINE static void
    add(const Params& p, long_index_t statistic, index_t first, index_t step, double (&sum)[2])
    {
        p.sums.each(statistic, first, step, [&](index_t, double a, double b) {
            sum[0] += a;
            sum[1] += b;
        });
    }
    CK_DEVICE CK_INLINE static void finish(const Params& p,
                                           long_index_t statistic,
                                           index_t thread,
                                           index_t threads,
                                           double sum,
                                           double squares)
    {
        const index_t c0            = p.sums.first_channel(statistic);
        const long_index_t of_image = long_index_t{p.sums.image(statistic)} * p.sums.channels;
        const Moments<Acc> moments(type_convert<Acc>(p.x[of_image * p.pixels + c0]),
                                   sum,
                                   squares,
                                   static_cast<double>(p.pixels) * p.sums.group(),
                                   p.epsilon);
        if(thread == 0)
        {
            p.mean[statistic]              = moments.stored;
            p.inverse_deviation[statistic] = static_cast<Acc>(moments.inverse);
        }
        for(index_t c = c0 + thread; c < c0 + p.sums.group(); c += threads)
        {
            const double scale    = p.weight == nullptr
                                        ? moments.inverse
                                        : moments.inverse * static_cast<double>(p.weight[c]),
                         bias     = p.bias == nullptr ? 0 : static_cast<double>(p.bias[c]);
            p.scale[of_image + c] = static_cast<Acc>(scale);
            p.shift[of_image + c] = static_cast<Acc>(bias + moments.rounded * scale);
        }
    }
};

/// Computes the factors of dx = scale * dz + slope * (x - mean) + constant: scale of each channel
/// of an image, the others of each group. The sums are of dz and of dz * (x - mean), times the
/// weight.
template <class T, class Acc>
struct GroupBackward
{
    static constexpr bool all_threads_finish = true;

    struct Params
    {
        GroupSums<Acc> sums;
        long_index_t statistics; ///< images times groups
        long_index_t pixels;
        Parameters<T, Acc> weight;    ///< or null
        const Acc* inverse_deviation; ///< [images][groups]
        Acc* scale;                   ///< [images][channels]
        Acc* slope;                   ///< [images][groups], as is constant
        Acc* constant;
    };

    CK_DEVICE CK_INLINE static double weight_of(const Params& p, index_t c)
    {
        return p.weight == nullptr ? 1 : static_cast<double>(p.weight[c]);
    }
    CK_DEVICE CK_INLINE static void
    add(const Params& p, long_index_t statistic, index_t first, index_t step, double (&sum)[2])
    {
        p.sums.each(statistic, first, step, [&](index_t c, double a, double b) {
            const double weight = weight_of(p, c);
            sum[0] += weight * a;
            sum[1] += weight * b;
        });
    }
    CK_DEVICE CK_INLINE static void finish(const Params& p,
                                           long_index_t statistic,
                                           index_t thread,
                                           index_t threads,
                                           double sum,
                                           double moment)
    {
        const auto inverse = static_cast<double>(p.inverse_deviation[statistic]);
        const double count = static_cast<double>(p.pixels) * p.sums.group();
        if(thread == 0)
        {
            p.slope[statistic] = static_cast<Acc>(-inverse * inverse * inverse * (moment / count));
            p.constant[statistic] = static_cast<Acc>(-inverse * (sum / count));
        }
        const index_t c0    = p.sums.first_channel(statistic);
        Acc* const of_image = p.scale + long_index_t{p.sums.image(statistic)} * p.sums.channels;
        for(index_t c = c0 + thread; c < c0 + p.sums.group(); c += threads)
            of_image[c] = static_cast<Acc>(inverse * weight_of(p, c));
    }
};

/// Computes the gradients of a channel's weight and bias, over all images.
template <class T, class Acc>
struct ChannelGradients
{
    struct Params
    {
        GroupSums<Acc> sums;
        long_index_t statistics; ///< channels; 0 if both gradients are null
        index_t images;
        const Acc* inverse_deviation; ///< [images][groups]
        Parameters<T, Acc> d_weight;  ///< or null
        Parameters<T, Acc> d_bias;    ///< or null
    };

    CK_DEVICE CK_INLINE static void
    add(const Params& p, long_index_t c, index_t first, index_t step, double (&sum)[2])
    {
        const index_t group = static_cast<index_t>(c) / p.sums.group();
        for(index_t i = first; i < p.images * p.sums.ranges; i += step)
        {
            const Acc* const of_range = p.sums.partial + long_index_t{i} * 2 * p.sums.channels + c;
            const Acc inverse =
                p.inverse_deviation[long_index_t{i / p.sums.ranges} * p.sums.groups + group];
            sum[0] += static_cast<double>(of_range[0]);
            sum[1] += static_cast<double>(of_range[p.sums.channels]) * static_cast<double>(inverse);
        }
    }
    CK_DEVICE CK_INLINE static void
    finish(const Params& p, long_index_t c, double sum, double moment)
    {
        if(!(p.d_weight == nullptr))
            p.d_weight.store(c, static_cast<Acc>(moment));
        if(!(p.d_bias == nullptr))
            p.d_bias.store(c, static_cast<Acc>(sum));
    }
};

/// Both sums of group norm's backward in one launch: the first blocks have groups, the others
/// channels.
template <class T, class Acc>
struct CombineGradients
{
    using Groups   = Combine<GroupBackward<T, Acc>>;
    using Channels = Combine<ChannelGradients<T, Acc>>;

    static constexpr index_t block_size            = Groups::block_size;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        index_t first_blocks;
        typename Groups::Params groups;
        typename Channels::Params channels;
    };
    union SharedStorage
    {
        typename Groups::SharedStorage groups;
        typename Channels::SharedStorage channels;
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        if(const index_t block = arch::block_index(); block < p.first_blocks)
            Groups::run(p.groups, shared.groups, block);
        else
            Channels::run(p.channels, shared.channels, block - p.first_blocks);
    }
};

} // namespace ck::norm
