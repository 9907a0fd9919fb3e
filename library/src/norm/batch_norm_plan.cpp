// Checks the spec and the tensors of a batch norm, and runs it.
#include "norm/batch_norm_launches.hpp"
#include "norm/rules.hpp"
#include <algorithm>
#include <utility>

namespace ck {

namespace {

void check(const BatchNormSpec& s)
{
    const norm::SpecRules rules("BatchNormSpec");
    rules.type(s.type);
    rules.enumerator("activation", s.activation, BatchNormActivation::hard_swish);
    rules.at_least_one("rows", s.rows);
    rules.channels(s.channels);
    rules.elements("rows", s.rows, s.channels);
    if(s.residual && (s.activation == BatchNormActivation::silu ||
                      s.activation == BatchNormActivation::hard_swish))
        rules.refuse(std::string("residual is set with activation ") +
                     (s.activation == BatchNormActivation::silu ? "silu" : "hard_swish") +
                     ", but is added only before none, relu and clamp, whose derivative y tells");
    if(s.activation == BatchNormActivation::clamp && !(s.least <= s.most))
        rules.refuse("least is " + norm::text(s.least) + " and most is " + norm::text(s.most) +
                     ", but least must be at most `most`");
    if(s.activation != BatchNormActivation::clamp && (s.least != 0 || s.most != 0))
        rules.refuse("least is " + norm::text(s.least) + " and most is " + norm::text(s.most) +
                     ", but only the activation clamp has limits");
    rules.epsilon(s.epsilon);
    rules.alignment(s.alignment, s.type);
    if(s.x_stride != 0 && s.x_stride < s.channels)
        rules.refuse("x_stride is " + norm::text(s.x_stride) +
                     ", but must be 0 or at least channels, " + norm::text(s.channels));
    rules.elements("rows", s.rows, std::max(s.x_stride, long_index_t{1}), "x_stride");
}

/// Checks the tensors of one call.
class BatchNormRules : public norm::TensorRules
{
public:
    BatchNormRules(const BatchNormSpec& spec, const char* call)
        : TensorRules("BatchNorm", call, spec.type, spec.alignment),
          spec_(spec)
    {}

    /// Checks x, y, the residual, weight and bias of a call that computes y.
    void forward(const BatchNormTensors& t) const
    {
        needs("x", t.x), needs("y", t.y);
        residual(spec_.residual, t.residual);
        tensor("x", t.x), tensor("y", t.y);
        channels("weight", t.weight), channels("bias", t.bias);
        channels("running_mean", t.running_mean), channels("running_variance", t.running_variance);
    }

    /// Checks that x is dense.
    void dense() const
    {
        if(spec_.x_stride != 0 && spec_.x_stride != spec_.channels)
            refuse("x_stride is " + norm::text(spec_.x_stride) + " and channels is " +
                   norm::text(spec_.channels) + ", but only inference reads such an x");
    }

private:
    const BatchNormSpec& spec_;
};

} // namespace

BatchNormPlan::BatchNormPlan(const BatchNormSpec& spec) : spec_(spec)
{
    check(spec);
    workspace_ = norm::workspace_size(spec);
}

void BatchNormPlan::forward(const BatchNormTensors& t) const
{
    const BatchNormRules rules(spec_, "forward");
    rules.dense();
    if(spec_.rows < 2)
        rules.refuse("rows is 1, but a variance needs at least two");
    rules.forward(t);
    rules.needs("mean", t.mean), rules.needs("inverse_deviation", t.inverse_deviation);
    rules.channels("mean", t.mean), rules.channels("inverse_deviation", t.inverse_deviation);
    if((t.running_mean == nullptr) != (t.running_variance == nullptr))
        rules.refuse("one of running_mean and running_variance is null, but either both are, or "
                     "none");
    if(t.running_mean != nullptr && !(t.momentum >= 0 && t.momentum <= 1))
        rules.refuse("momentum is " + norm::text(t.momentum) + ", but must be from 0 to 1");
    rules.workspace(t.workspace, workspace_);
    norm::forward(spec_, t);
}

void BatchNormPlan::backward(const BatchNormTensors& t) const
{
    const BatchNormRules rules(spec_, "backward");
    rules.dense();
    rules.needs("x", t.x), rules.needs("dy", t.dy), rules.needs("dx", t.dx);
    rules.needs("mean", t.mean), rules.needs("inverse_deviation", t.inverse_deviation);
    rules.gradient_of_residual(
        spec_.residual, spec_.activation != BatchNormActivation::none, t.y, t.d_residual);
    rules.tensor("x", t.x), rules.tensor("dy", t.dy), rules.tensor("dx", t.dx);
    for(const auto& [name, address] : {std::pair{"weight", t.weight},
                                       {"bias", t.bias},
                                       {"mean", t.mean},
                                       {"inverse_deviation", t.inverse_deviation},
                                       {"d_weight", t.d_weight},
                                       {"d_bias", t.d_bias}})
        rules.channels(name, address);
    rules.workspace(t.workspace, workspace_);
    norm::backward(spec_, t);
}

void BatchNormPlan::inference(const BatchNormTensors& t) const
{
    const BatchNormRules rules(spec_, "inference");
    rules.forward(t);
    rules.needs("running_mean", t.running_mean);
    rules.needs("running_variance", t.running_variance);
    norm::inference(spec_, t);
}

} // namespace ck
