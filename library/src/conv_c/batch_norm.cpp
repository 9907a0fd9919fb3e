// Implements ck/batch_norm.h with ck/batch_norm.hpp.
#include "ck/batch_norm.h"

#include "ck/batch_norm.hpp"

#include "conv_c/status.hpp"

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

ck::BatchNormSpec cpp_spec(const ck_batch_norm_spec& c)
{
    require_flag("ck_batch_norm_spec", "residual", c.residual);
    if(c.alignment < 0) // becomes unsigned in C++
        throw ck::Refused("ck_batch_norm_spec: alignment is " + std::to_string(c.alignment) +
                          ", but must be 1, 2, 4, 8 or 16");
    return {.type       = static_cast<ck::DataType>(c.type),
            .rows       = c.rows,
            .channels   = c.channels,
            .activation = static_cast<ck::BatchNormActivation>(c.activation),
            .least      = c.least,
            .most       = c.most,
            .residual   = c.residual != 0,
            .epsilon    = c.epsilon,
            .alignment  = static_cast<std::size_t>(c.alignment)};
}

using Call = void (ck::BatchNormPlan::*)(const ck::BatchNormTensors&) const;

ck_conv_status run(Call call, const ck_batch_norm_plan* plan, const ck_batch_norm_tensors* tensors)
{
    if(plan == nullptr || tensors == nullptr)
        return null_argument("the plan or the tensors are null");
    if(tensors->size != sizeof(ck_batch_norm_tensors))
        return null_argument("the tensors' size is not sizeof(ck_batch_norm_tensors) of this "
                             "library");
    return guarded([&] {
        const ck_batch_norm_tensors& t = *tensors;
        (plan->plan.*call)({.x                 = t.x,
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
    });
}

} // namespace

ck_conv_status ck_batch_norm_spec_init(ck_batch_norm_spec* spec, size_t size)
{
    if(spec == nullptr)
        return null_argument("the spec is null");
    if(size != sizeof(ck_batch_norm_spec))
        return null_argument("size is not sizeof(ck_batch_norm_spec) of this library");
    *spec           = {};
    spec->size      = size;
    spec->type      = CK_CONV_F32;
    spec->alignment = 16;
    spec->epsilon   = ck::BatchNormSpec{}.epsilon;
    return CK_CONV_OK;
}

ck_conv_status ck_batch_norm_plan_create(const ck_batch_norm_spec* spec, ck_batch_norm_plan** plan)
{
    if(plan == nullptr)
        return null_argument("where the plan goes is null");
    *plan = nullptr;
    if(spec == nullptr)
        return null_argument("the spec is null");
    if(spec->size != sizeof(ck_batch_norm_spec))
        return null_argument("the spec's size is not sizeof(ck_batch_norm_spec) of this library: "
                             "call ck_batch_norm_spec_init(), and build with its header");
    return guarded([&] { *plan = new ck_batch_norm_plan{ck::BatchNormPlan(cpp_spec(*spec))}; });
}

void ck_batch_norm_plan_destroy(ck_batch_norm_plan* plan) { delete plan; }

ck_conv_status ck_batch_norm_plan_workspace_size(const ck_batch_norm_plan* plan, size_t* bytes)
{
    if(plan == nullptr || bytes == nullptr)
        return null_argument("the plan, or where its size goes, is null");
    *bytes = plan->plan.workspace_size();
    return CK_CONV_OK;
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
