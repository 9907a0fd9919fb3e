// Checks the spec and the tensors of a group norm, and runs it.
#include "norm/group_norm_launches.hpp"
#include "norm/rules.hpp"
#include <utility>

namespace ck {

namespace {

constexpr long_index_t most = long_index_t{1} << 30;

void check_groups(const GroupNormSpec& s, const norm::SpecRules& rules)
{
    if(s.groups < 1 || s.channels % s.groups != 0)
        rules.refuse("groups is " + std::to_string(s.groups) + " and channels is " +
                     std::to_string(s.channels) + ", but groups must divide channels");
    if(s.images > most / s.channels)
        rules.refuse("images is " + std::to_string(s.images) + " and channels is " +
                     std::to_string(s.channels) + ", but their product must be at most " +
                     std::to_string(most));
}

/// Checks the fields of the other kinds.
void check_rows(const GroupNormSpec& s, const norm::SpecRules& rules)
{
    if(s.residual)
        rules.refuse("residual is set, but only norms of the kind group add one");
    if(s.groups != 0)
        rules.refuse("groups is " + std::to_string(s.groups) +
                     ", but only norms of the kind group have groups: others want 0");
    if(s.channels > most)
        rules.refuse("channels is " + std::to_string(s.channels) + ", but must be at most " +
                     std::to_string(most) + ", except of the kind group");
    rules.elements("images", s.images, s.channels);
}

void check(const GroupNormSpec& s)
{
    const norm::SpecRules rules("GroupNormSpec");
    rules.type(s.type);
    rules.enumerator("kind", s.kind, NormKind::l2);
    rules.enumerator("activation", s.activation, GroupNormActivation::leaky_relu);
    rules.at_least_one("images", s.images);
    rules.at_least_one("pixels", s.pixels);
    rules.channels(s.channels);
    if(s.kind == NormKind::group)
        check_groups(s, rules);
    else
        check_rows(s, rules);
    rules.elements("pixels", s.pixels, s.images * s.channels);
    rules.epsilon(s.epsilon);
    if(!std::isfinite(s.slope))
        rules.refuse("slope is " + norm::text(s.slope) + ", but must be finite");
    if(s.activation != GroupNormActivation::leaky_relu && s.slope != GroupNormSpec{}.slope)
        rules.refuse("slope is " + norm::text(s.slope) +
                     ", but only the activation leaky_relu has one: others want the default, " +
                     norm::text(GroupNormSpec{}.slope));
    if(s.residual && s.activation == GroupNormActivation::silu)
        rules.refuse("residual is set with activation silu, but is added only before none, relu "
                     "and leaky_relu, whose derivative y tells");
    if(s.residual && s.slope < 0)
        rules.refuse("residual is set and slope is " + norm::text(s.slope) +
                     ", but the sign of y tells the derivative only if slope is at least 0");
    rules.alignment(s.alignment, s.type);
}

/// Checks the tensors of one call.
class GroupNormRules : public norm::TensorRules
{
public:
    GroupNormRules(const GroupNormSpec& spec, const char* call)
        : TensorRules("GroupNorm", call, spec.type, spec.alignment),
          spec_(spec)
    {}

    void parameters(const char* name, const void* address) const
    {
        if(spec_.parameters_as_x)
            as_elements(name, address, spec_.type);
        else
            channels(name, address);
    }

    /// Checks what both calls have.
    void common(const GroupNormTensors& t) const
    {
        needs("x", t.x);
        if(spec_.kind == NormKind::group || spec_.kind == NormKind::layer)
            needs("mean", t.mean);
        needs("inverse_deviation", t.inverse_deviation);
        tensor("x", t.x);
        parameters("weight", t.weight), parameters("bias", t.bias);
        channels("mean", t.mean), channels("inverse_deviation", t.inverse_deviation);
    }

private:
    const GroupNormSpec& spec_;
};

} // namespace

GroupNormPlan::GroupNormPlan(const GroupNormSpec& spec) : spec_(spec)
{
    check(spec);
    workspace_ = spec.kind == NormKind::group ? norm::group_workspace_size(spec)
                                              : norm::row_workspace_size(spec);
}

void GroupNormPlan::forward(const GroupNormTensors& t) const
{
    const GroupNormRules rules(spec_, "forward");
    rules.needs("y", t.y);
    rules.tensor("y", t.y);
    rules.residual(spec_.residual, t.residual);
    rules.common(t);
    if(spec_.kind != NormKind::group)
        return norm::row_forward(spec_, t);
    rules.workspace(t.workspace, workspace_);
    norm::group_forward(spec_, t);
}

void GroupNormPlan::backward(const GroupNormTensors& t) const
{
    const GroupNormRules rules(spec_, "backward");
    rules.needs("dy", t.dy), rules.needs("dx", t.dx);
    rules.tensor("dy", t.dy), rules.tensor("dx", t.dx);
    rules.parameters("d_weight", t.d_weight), rules.parameters("d_bias", t.d_bias);
    rules.gradient_of_residual(
        spec_.residual, spec_.activation != GroupNormActivation::none, t.y, t.d_residual);
    rules.common(t);
    rules.workspace(t.workspace, workspace_);
    if(spec_.kind == NormKind::group)
        norm::group_backward(spec_, t);
    else
        norm::row_backward(spec_, t);
}

} // namespace ck
