#pragma once
// Several groups of a problem merged into one with all their channels.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_description/transforms.hpp"

namespace ck {

/// Strides of a tensor [g,n,channels,d,h,w] after merging each `count` groups.
inline TensorStrides merge_groups(TensorStrides strides, long_index_t channels, long_index_t count)
{
    if(channels == 1 && count > 1) // a group's only channel has no stride
        strides[2] = strides[0];
    strides[0] *= count;
    return strides;
}

/// The problem with each `count` groups of p merged; the last one is as long as the others, even if
/// it has fewer groups. Its filter is block diagonal; only the distance between groups is set.
inline ConvProblem merge_groups(ConvProblem p, long_index_t count)
{
    p.input_strides  = merge_groups(p.input_strides, p.in_channels, count);
    p.output_strides = merge_groups(p.output_strides, p.out_channels, count);
    p.filter_strides[0] *= count;
    if(p.out_channels == 1) // nor has the filter's
        p.filter_strides[1] = 0;
    if(p.in_channels == 1)
        p.filter_strides[2] = 0;
    p.groups = math::integer_divide_ceil(p.groups, count);
    p.in_channels *= count;
    p.out_channels *= count;
    return p;
}

/// Merged groups: a problem with fewer groups, whose filter is zero wherever the group of k is not
/// the group of c.
struct MergedGroups
{
    Divisor count;
    index_t in_channels; // input channels of one group
    Divisor out_channels;
    index_t w_group; // elements of W from one group to the next

    /// Describes a problem with each `count` groups merged: the channels of all of them and the
    /// distance between groups.
    static MergedGroups make(const ConvProblem& merged, index_t count)
    {
        return {make_divisor(count),
                static_cast<index_t>(merged.in_channels / count),
                make_divisor(static_cast<index_t>(merged.out_channels / count)),
                static_cast<index_t>(merged.filter_strides[0] / count)};
    }
};

/// W [c, ...] of one group as [group of k, c of all groups, ...]
template <Structure s>
CK_HOST_DEVICE CK_INLINE constexpr auto
describe_groups(const Descriptor<s>& w, const MergedGroups& groups, const Length& in_channels)
{
    return w | pad<0>(0, 0) | // c of all groups - C * group is inside [0, C), or the weight is 0
           embed<0>({groups.count, in_channels}, {-groups.in_channels, 1}) |
           advance<0>(groups.w_group);
}

} // namespace ck
