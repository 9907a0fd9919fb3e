#pragma once
// Several groups of a problem seen as one of all their channels.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_description/transforms.hpp"

namespace ck {

/// The strides of a tensor [g,n,channels,d,h,w] whose groups are `count` groups each.
inline TensorStrides merge_groups(TensorStrides strides, long_index_t channels, long_index_t count)
{
    if(channels == 1 && count > 1) // the only channel of a group never moves
        strides[2] = strides[0];
    strides[0] *= count;
    return strides;
}

/// The problem whose groups are `count` groups of p each. Of the filter, which only has blocks on
/// the diagonal, the distance between groups alone.
inline ConvProblem merge_groups(ConvProblem p, long_index_t count)
{
    p.input_strides  = merge_groups(p.input_strides, p.in_channels, count);
    p.output_strides = merge_groups(p.output_strides, p.out_channels, count);
    p.filter_strides[0] *= count;
    if(p.out_channels == 1) // nor does the only one of the filter
        p.filter_strides[1] = 0;
    if(p.in_channels == 1)
        p.filter_strides[2] = 0;
    p.groups /= count;
    p.in_channels *= count;
    p.out_channels *= count;
    return p;
}

/// Groups that are computed as one, of all their channels: a problem of fewer groups whose filter
/// has zeros wherever the group of k is not that of c.
struct MergedGroups
{
    Divisor count;
    index_t in_channels; // of one group
    Divisor out_channels;
    index_t w_group; // elements of W from one group to the next

    /// Describes a problem whose groups are `count` groups each: channels of all of them, and the
    /// distance between these.
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
