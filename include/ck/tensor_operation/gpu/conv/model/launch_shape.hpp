#pragma once
// From the parameters of a launch to what the model sees of it.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/operator_transform/class_kinds.hpp"

namespace ck::tensor_operation::device {

/// Returns the model's view of a launch with parameters r (grid::ConvParams), whose sums are cut
/// into `parts` parts where tap and channel are one. bytes: of the three tensors; more_bytes: of
/// the parts.
template <class Params>
LaunchShape
launch_shape(const GemmTuning& t, const Params& r, index_t parts, double bytes, double more_bytes)
{
    constexpr bool one_reduction = !requires { r.transform.make_class(0, 1).tap_count; };
    const auto slices_of         = [&](index_t length) {
        return math::integer_divide_ceil(length, t.block_tile.k);
    };
    double slices = 0;
    for(const ClassKind& kind : class_kinds(r.transform))
    {
        const auto views = r.transform.make_class(kind.number, r.chunk_batch);
        index_t of_class = 0;
        if constexpr(one_reduction)
            of_class = math::integer_divide_ceil(slices_of(views.a.template extent<1>()), parts);
        else
            of_class = views.tap_count * slices_of(views.a.template extent<2>());
        slices += static_cast<double>(kind.count) * of_class;
    }
    return {static_cast<double>(r.tiles.size()) * t.cluster,
            slices / r.tiles.classes.value,
            bytes,
            more_bytes};
}

} // namespace ck::tensor_operation::device
