#pragma once
// Backward data with too few channels to fill a slice of the reduction: taps and channels form one
// coordinate, and several groups are merged.
#include "ck/tensor_operation/operator_transform/backward_data_by_pixel.hpp"
#include "ck/tensor_operation/operator_transform/merged_groups.hpp"

namespace ck {

struct MergedBackwardData
{
    static constexpr bool a_along_k = true;
    static constexpr bool b_along_k = false;

    BackwardDataByPixel all; // with the channels of all groups
    MergedGroups groups;

    /// Makes GEMMs for a problem with each `groups` groups merged, see MergedGroups;
    /// their channels must be adjacent in dX and dY. Otherwise like
    /// BackwardDataByPixel::make.
    static MergedBackwardData make(const ConvProblem& problem, index_t batch, index_t groups)
    {
        return {BackwardDataByPixel::make(problem, batch), MergedGroups::make(problem, groups)};
    }

    CK_HOST_DEVICE constexpr index_t phase_count() const { return all.phase_count(); }
    CK_HOST_DEVICE constexpr index_t max_rows() const { return all.max_rows(); }

    /// W as [group of k, c, zdot, ydot, xdot, k], c of all groups
    CK_HOST_DEVICE constexpr auto describe_taps(const BackwardData::Residue& d,
                                                const BackwardData::Residue& h,
                                                const BackwardData::Residue& w) const;

    struct Phase;
    CK_HOST_DEVICE constexpr Phase make_phase(index_t number, index_t images) const;
};

CK_HOST_DEVICE CK_INLINE constexpr auto
MergedBackwardData::describe_taps(const BackwardData::Residue& d,
                                  const BackwardData::Residue& h,
                                  const BackwardData::Residue& w) const
{
    return describe_groups(all.describe_taps(d, h, w, groups.in_channels, groups.out_channels),
                           groups,
                           undivided(all.in_channels));
}

struct MergedBackwardData::Phase
{
    // row = (n, jd, jh, jw), column = c of all groups, reduction = (zdot, ydot, xdot, group, k)
    using MergeA = Merge<Group<0, 2, 4, 6>, Group<1, 3, 5, 7>>;
    using MergeB = Merge<Group<1>, Group<2, 3, 4, 0, 5>>;
    using A      = decltype(BackwardData{}.describe_windows({}, {}, {}, 0) | MergeA{});
    using B      = decltype(MergedBackwardData{}.describe_taps({}, {}, {}) | MergeB{});
    using C      = BackwardData::Phase::C;

    A a; // dY as [row, reduction]; checked in its three spatial dimensions
    B b; // W as [column, reduction]; checked: the group of k is that of c
    C c; // dX as [row, column]
};

CK_HOST_DEVICE CK_INLINE constexpr MergedBackwardData::Phase
MergedBackwardData::make_phase(index_t number, index_t images) const
{
    const BackwardData::Residues r = all.residues(number);
    return {all.describe_windows(r.d, r.h, r.w, images) | Phase::MergeA{},
            describe_taps(r.d, r.h, r.w) | Phase::MergeB{},
            all.describe_c(r.d, r.h, r.w, images)};
}

} // namespace ck
