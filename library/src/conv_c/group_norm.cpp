// Implements ck/group_norm.h with ck/group_norm.hpp.
#include "ck/group_norm.h"

#include "ck/group_norm.hpp"

#include "conv_c/norm.hpp"

struct ck_group_norm_plan
{
    ck::GroupNormPlan plan;
};

namespace {

using namespace ck::conv_c;

// C and C++ use the same numbers for the same names.
static_assert(CK_GROUP_NORM_RELU == static_cast<int>(ck::GroupNormActivation::relu) &&
              CK_GROUP_NORM_SILU == static_cast<int>(ck::GroupNormActivation::silu) &&
              CK_GROUP_NORM_LEAKY_RELU == static_cast<int>(ck::GroupNormActivation::leaky_relu));
static_assert(CK_NORM_GROUP == static_cast<int>(ck::NormKind::group) &&
              CK_NORM_LAYER == static_cast<int>(ck::NormKind::layer) &&
              CK_NORM_RMS == static_cast<int>(ck::NormKind::rms) &&
              CK_NORM_L2 == static_cast<int>(ck::NormKind::l2));
static_assert(sizeof(ck_group_norm_tensors) == 15 * sizeof(std::uint64_t) || sizeof(void*) != 8);

/// The sizes of ck_group_norm_spec before it had a slope, a kind, and a residual.
constexpr std::size_t without_slope    = offsetof(ck_group_norm_spec, slope),
                      without_kind     = offsetof(ck_group_norm_spec, kind),
                      without_residual = offsetof(ck_group_norm_spec, residual);

ck::GroupNormSpec cpp_spec(const ck_group_norm_spec& c)
{
    require_flag("ck_group_norm_spec", "parameters_as_x", c.parameters_as_x);
    require_flag("ck_group_norm_spec", "residual", c.residual);
    return {.type            = static_cast<ck::DataType>(c.type),
            .images          = c.images,
            .pixels          = c.pixels,
            .channels        = c.channels,
            .groups          = c.groups,
            .activation      = static_cast<ck::GroupNormActivation>(c.activation),
            .parameters_as_x = c.parameters_as_x != 0,
            .epsilon         = c.epsilon,
            .alignment       = alignment_of(c, "ck_group_norm_spec"),
            .slope           = c.size == without_slope ? ck::GroupNormSpec{}.slope : c.slope,
            .kind            = static_cast<ck::NormKind>(c.kind),
            .residual        = c.residual != 0};
}

using Call = void (ck::GroupNormPlan::*)(const ck::GroupNormTensors&) const;

ck_conv_status run(Call call, const ck_group_norm_plan* plan, const ck_group_norm_tensors* tensors)
{
    return run_plan(plan,
                    tensors,
                    [&](const ck::GroupNormPlan& cpp, const ck_group_norm_tensors& t) {
                        (cpp.*call)({.x                 = t.x,
                                     .residual          = t.residual,
                                     .weight            = t.weight,
                                     .bias              = t.bias,
                                     .y                 = t.y,
                                     .mean              = t.mean,
                                     .inverse_deviation = t.inverse_deviation,
                                     .dy                = t.dy,
                                     .dx                = t.dx,
                                     .d_residual        = t.d_residual,
                                     .d_weight          = t.d_weight,
                                     .d_bias            = t.d_bias,
                                     .workspace         = t.workspace,
                                     .stream            = t.stream});
                    },
                    "the tensors' size is not sizeof(ck_group_norm_tensors) of this library",
                    {offsetof(ck_group_norm_tensors, residual)});
}

} // namespace

ck_conv_status ck_group_norm_spec_init(ck_group_norm_spec* spec, size_t size)
{
    const ck_conv_status status =
        init_spec(spec,
                  size,
                  ck::GroupNormSpec{}.epsilon,
                  "size is not sizeof(ck_group_norm_spec) of this library",
                  {without_slope, without_kind, without_residual});
    if(status == CK_CONV_OK)
        spec->images = ck::GroupNormSpec{}.images;
    if(status == CK_CONV_OK && size > without_slope)
        spec->slope = ck::GroupNormSpec{}.slope;
    return status;
}

ck_conv_status ck_group_norm_plan_create(const ck_group_norm_spec* spec, ck_group_norm_plan** plan)
{
    return create_plan(spec,
                       plan,
                       cpp_spec,
                       "the spec's size is not sizeof(ck_group_norm_spec) of this library: "
                       "call ck_group_norm_spec_init(), and build with its header",
                       {without_slope, without_kind, without_residual});
}

void ck_group_norm_plan_destroy(ck_group_norm_plan* plan) { delete plan; }

ck_conv_status ck_group_norm_plan_workspace_size(const ck_group_norm_plan* plan, size_t* bytes)
{
    return workspace_size(plan, bytes);
}

ck_conv_status ck_group_norm_forward(const ck_group_norm_plan* plan,
                                     const ck_group_norm_tensors* tensors)
{
    return run(&ck::GroupNormPlan::forward, plan, tensors);
}

ck_conv_status ck_group_norm_backward(const ck_group_norm_plan* plan,
                                      const ck_group_norm_tensors* tensors)
{
    return run(&ck::GroupNormPlan::backward, plan, tensors);
}
