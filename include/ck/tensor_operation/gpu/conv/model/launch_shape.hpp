#pragma once
// Converts the parameters of a launch to the model's view of it.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/operator_transform/phase_kinds.hpp"

namespace ck::tensor_operation::device {

/// Returns the model's view of a launch with parameters r (grid::ConvParams), whose sums are cut
/// into `partial_sums` partial sums where tap and channel are one. bytes: of the three tensors;
/// more_bytes: of the partial sums.
template <class Params>
LaunchShape launch_shape(
    const GemmTuning& t, const Params& r, index_t partial_sums, double bytes, double more_bytes)
{
    constexpr bool one_reduction = !requires { r.transform.make_phase(0, 1).tap_count; };
    const auto slices_of         = [&](index_t length) {
        return math::integer_divide_ceil(length, t.block_tile.k);
    };
    double slices = 0, runs = 0;
    for(const PhaseKind& kind : phase_kinds(r.transform))
    {
        const auto count                = static_cast<double>(kind.count);
        [[maybe_unused]] const auto add = [&](index_t taps, index_t channels) {
            slices += count * (taps * slices_of(channels));
            runs += count * taps;
        };
        if constexpr(requires { r.transform.residues(0); }) // making the whole phase takes longer
            add(r.transform.residues(kind.number).tap_count(), r.transform.out_channels.value);
        else
        {
            const auto views = r.transform.make_phase(kind.number, r.sub_batch_size);
            if constexpr(one_reduction)
            {
                slices += count * math::integer_divide_ceil(slices_of(views.a.template extent<1>()),
                                                            partial_sums);
                runs += count;
            }
            else
                add(views.tap_count, views.a.template extent<2>());
        }
    }
    LaunchShape shape{static_cast<double>(r.tiles.size()) * t.maps.cluster,
                      slices / r.tiles.phases.value,
                      bytes,
                      more_bytes};
    shape.runs = runs / r.tiles.phases.value;
    return shape;
}

} // namespace ck::tensor_operation::device
