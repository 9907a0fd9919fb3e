#pragma once
// Forward with too few channels to fill a slice of the reduction: taps and channels form one
// coordinate, and several groups are merged.
#include "ck/tensor_operation/operator_transform/forward.hpp"
#include "ck/tensor_operation/operator_transform/merged_groups.hpp"

namespace ck {

struct MergedForward
{
    static constexpr bool a_along_k = true;
    static constexpr bool b_along_k = true;

    ConvViews views; // with the channels of all groups
    MergedGroups groups;

    /// Makes a GEMM for a problem with each `groups` groups merged, see MergedGroups; their
    /// channels must be adjacent in X and Y. Otherwise like Forward::make.
    static MergedForward make(const ConvProblem& problem, index_t batch, index_t groups)
    {
        return {ConvViews::make(problem, batch), MergedGroups::make(problem, groups)};
    }

    CK_HOST_DEVICE constexpr index_t phase_count() const { return 1; }
    CK_HOST_DEVICE constexpr index_t max_rows() const
    {
        return views.pixels_of_image * views.batch;
    }

    /// W as [group of k, c, z, y, x, k], c of all groups
    CK_HOST_DEVICE constexpr auto describe_w() const;

    struct Phase;
    CK_HOST_DEVICE constexpr Phase make_phase(index_t number, index_t images) const;
};

CK_HOST_DEVICE CK_INLINE constexpr auto MergedForward::describe_w() const
{
    const auto& [D, H, W] = views.dimension;
    return describe_groups(
        strided({undivided(groups.in_channels), D.x.taps, H.x.taps, W.x.taps, groups.out_channels},
                {views.w_c, D.w_stride, H.w_stride, W.w_stride, views.w_k}),
        groups,
        views.in_channels);
}

struct MergedForward::Phase
{
    // row = (n, do, ho, wo), column = (group, k), reduction = (z, y, x, c of all groups)
    using MergeA = Merge<Group<0, 2, 4, 6>, Group<1, 3, 5, 7>>;
    using MergeB = Merge<Group<0, 5>, Group<2, 3, 4, 1>>;
    using A      = decltype(ConvViews{}.describe_x(0) | MergeA{});
    using B      = decltype(MergedForward{}.describe_w() | MergeB{});
    using C      = Forward::Phase::C;

    A a; // X as [row, reduction]; checked in its three spatial dimensions
    B b; // W as [column, reduction]; checked: the group of k is that of c
    C c; // Y as [row, column]
};

CK_HOST_DEVICE CK_INLINE constexpr MergedForward::Phase
MergedForward::make_phase(index_t, index_t images) const
{
    return {views.describe_x(images) | Phase::MergeA{},
            describe_w() | Phase::MergeB{},
            views.describe_y(images) | Forward::Phase::MergeC{}};
}

} // namespace ck
