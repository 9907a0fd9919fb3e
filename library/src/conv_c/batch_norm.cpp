// Implements ck/batch_norm.h with ck/batch_norm.hpp.
#include "ck/batch_norm.h"

#include "ck/batch_norm.hpp"

#include "conv_c/norm.hpp"

struct ck_batch_norm_plan
{
    ck::BatchNormPlan plan;
};

namespace {

using namespace ck::conv_c;

// C and C++ use the same numbers for the same names.
static_assert(CK_BATCH_NORM_RELU == static_cast<int>(ck::BatchNormActivation::relu) &&
              CK_BATCH_NORM_CLAMP == static_cast<int>(ck::BatchNormActivation::clamp) &&
              CK_BATCH_NORM_HARD_SWISH == static_cast<int>(ck::BatchNormActivation::hard_swish));
static_assert(sizeof(ck_batch_norm_tensors) == 18 * sizeof(std::uint64_t) || sizeof(void*) != 8);

/// The size of ck_batch_norm_spec before x had a stride.
constexpr Sizes older_specs = {offsetof(ck_batch_norm_spec, x_stride)};

ck::BatchNormSpec cpp_spec(const ck_batch_norm_spec& c)
{
    require_flag("ck_batch_norm_spec", "residual", c.residual);
    return {.type       = static_cast<ck::DataType>(c.type),
            .rows       = c.rows,
            .channels   = c.channels,
            .activation = static_cast<ck::BatchNormActivation>(c.activation),
            .least      = c.least,
            .most       = c.most,
            .residual   = c.residual != 0,
            .epsilon    = c.epsilon,
            .alignment  = alignment_of(c, "ck_batch_norm_spec"),
            .x_stride   = c.x_stride};
}

using Call = void (ck::BatchNormPlan::*)(const ck::BatchNormTensors&) const;

ck_conv_status run(Call call, const ck_batch_norm_plan* plan, const ck_batch_norm_tensors* tensors)
{
    return run_plan(
        plan,
        tensors,
        [&](const ck::BatchNormPlan& cpp, const ck_batch_norm_tensors& t) {
            (cpp.*call)({.x                 = t.x,
                         .residual          = t.residual,
                         .weight            = t.weight,
                         .bias              = t.bias,
                         .y                 = t.y,
                         .mean              = t.mean,
                         .inverse_deviation = t.inverse_deviation,
                         .running_mean      = t.running_mean,
                         .running_variance  = t.running_variance,
                         .dy                = t.dy,
                         .dx                = t.dx,
                         .d_residual        = t.d_residual,
                         .d_weight          = t.d_weight,
                         .d_bias            = t.d_bias,
                         .momentum          = t.momentum,
                         .workspace         = t.workspace,
                         .stream            = t.stream});
        },
        "the tensors' size is not sizeof(ck_batch_norm_tensors) of this library");
}

} // namespace

ck_conv_status ck_batch_norm_spec_init(ck_batch_norm_spec* spec, size_t size)
{
    return init_spec(spec,
                     size,
                     ck::BatchNormSpec{}.epsilon,
                     "size is not sizeof(ck_batch_norm_spec) of this library",
                     older_specs);
}

ck_conv_status ck_batch_norm_plan_create(const ck_batch_norm_spec* spec, ck_batch_norm_plan** plan)
{
    return create_plan(spec,
                       plan,
                       cpp_spec,
                       "the spec's size is not sizeof(ck_batch_norm_spec) of this library: "
                       "call ck_batch_norm_spec_init(), and build with its header",
                       older_specs);
}

void ck_batch_norm_plan_destroy(ck_batch_norm_plan* plan) { delete plan; }

ck_conv_status ck_batch_norm_plan_workspace_size(const ck_batch_norm_plan* plan, size_t* bytes)
{
    return workspace_size(plan, bytes);
}

ck_conv_status ck_batch_norm_forward(const ck_batch_norm_plan* plan,
                                     const ck_batch_norm_tensors* tensors)
{
    return run(&ck::BatchNormPlan::forward, plan, tensors);
}

ck_conv_status ck_batch_norm_backward(const ck_batch_norm_plan* plan,
                                      const ck_batch_norm_tensors* tensors)
{
    return run(&ck::BatchNormPlan::backward, plan, tensors);
}

ck_conv_status ck_batch_norm_inference(const ck_batch_norm_plan* plan,
                                       const ck_batch_norm_tensors* tensors)
{
    return run(&ck::BatchNormPlan::inference, plan, tensors);
}
