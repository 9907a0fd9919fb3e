#pragma once
// The number of partial sums for backward weight by MFMA or WMMA.
#include "ck/tensor_operation/gpu/conv/model/weight_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

/// Returns the launch shape for the model when sums are split. bytes: of the three tensors;
/// partial_bytes: of one partial sum of every tile.
inline LaunchShape
split_weight(const SplitShape& s, const SplitPlan& plan, double bytes, double partial_bytes)
{
    return {
        static_cast<double>(s.tiles) * plan.partial_sums,
        static_cast<double>(math::integer_divide_ceil(s.slices, long_index_t{plan.partial_sums})),
        bytes,
        plan.has_partial_sums() ? 2. * plan.partial_sums * partial_bytes : 0,
        true};
}

/// Returns the number of partial sums for `of_unit` workgroups per compute unit; for one, those
/// that fill the device, as on other engines. s.places: compute units.
inline SplitPlan split_for_unit(const SplitShape& s, index_t of_unit)
{
    if(of_unit == 1)
        return plan_equal_partial_sums(s);
    const long_index_t places = of_unit * s.places / std::max(s.tiles, long_index_t{1});
    SplitPlan plan;
    plan.partial_sums = static_cast<index_t>(
        std::clamp(places, long_index_t{1}, std::max(s.slices, long_index_t{1})));
    plan.whole = s.whole;
    return plan;
}

/// The partial sums with the shortest predicted launch, for one or several workgroups per compute
/// unit: several hide each other's latency but leave more to add up.
inline SplitPlan
plan_weight_split(const GemmTuning& t, const SplitShape& s, double bytes, double partial_bytes)
{
    SplitPlan best;
    double least = 0;
    for(const index_t of_unit : weight_times(t).workgroups)
    {
        const SplitPlan plan = split_for_unit(s, of_unit);
        const double time    = predicted_weight_time(
            t, split_weight(s, plan, bytes, partial_bytes), static_cast<index_t>(s.places));
        if(of_unit == 1 || time < least)
        {
            best  = plan;
            least = time;
        }
    }
    return best;
}

} // namespace ck::tensor_operation::device
