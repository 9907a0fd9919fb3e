// Checks the spec and the tensors of a batch norm, and runs it.
#include "batch_norm/launches.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

namespace ck {

namespace {

/// A number, or an address, as text.
template <class T>
std::string text(T x)
{
    std::ostringstream s;
    s << x;
    return s.str();
}

[[noreturn]] void refuse(const std::string& reason)
{
    throw Refused("ck::BatchNormSpec: " + reason);
}

void check(const BatchNormSpec& s)
{
    if(s.type != DataType::f64 && s.type != DataType::f32 && s.type != DataType::f16 &&
       s.type != DataType::bf16)
        refuse("type is " + std::to_string(static_cast<int>(s.type)) +
               ", but must be f64, f32, f16 or bf16 (0 to 3)");
    if(static_cast<int>(s.activation) < 0 || s.activation > BatchNormActivation::hard_swish)
        refuse("activation is " + std::to_string(static_cast<int>(s.activation)) +
               ", but must be one of the enumerators, 0 to " +
               std::to_string(static_cast<int>(BatchNormActivation::hard_swish)));
    if(s.rows < 1)
        refuse("rows is " + std::to_string(s.rows) + ", but must be at least 1");
    constexpr long_index_t most_channels = std::numeric_limits<index_t>::max();
    if(s.channels < 1 || s.channels > most_channels)
        refuse("channels is " + std::to_string(s.channels) + ", but must be from 1 to " +
               std::to_string(most_channels));
    constexpr long_index_t most_elements = long_index_t{1} << 48;
    if(s.rows > most_elements / s.channels)
        refuse("rows is " + std::to_string(s.rows) + " and channels is " +
               std::to_string(s.channels) + ", but together they may have 2^48 elements");
    if(s.residual && (s.activation == BatchNormActivation::silu ||
                      s.activation == BatchNormActivation::hard_swish))
        refuse(std::string("residual is set with activation ") +
               (s.activation == BatchNormActivation::silu ? "silu" : "hard_swish") +
               ", but is added only before none, relu and clamp, whose derivative y tells");
    if(s.activation == BatchNormActivation::clamp && !(s.least <= s.most))
        refuse("least is " + text(s.least) + " and most is " + text(s.most) +
               ", but least must be at most `most`");
    if(s.activation != BatchNormActivation::clamp && (s.least != 0 || s.most != 0))
        refuse("least is " + text(s.least) + " and most is " + text(s.most) +
               ", but only the activation clamp has limits");
    if(!(s.epsilon >= 0) || std::isinf(s.epsilon))
        refuse("epsilon is " + text(s.epsilon) + ", but must be finite and at least 0");
    if(s.alignment == 0 || s.alignment > 16 || (s.alignment & (s.alignment - 1)) != 0)
        refuse("alignment is " + std::to_string(s.alignment) + ", but must be 1, 2, 4, 8 or 16");
    if(const std::size_t bytes = batch_norm::bytes_of_element(s.type); s.alignment < bytes)
        refuse("alignment is " + std::to_string(s.alignment) + ", but an element has " +
               std::to_string(bytes) + " bytes");
}

/// Checks the tensors of one call.
class Tensors
{
public:
    Tensors(const BatchNormSpec& spec, const char* call) : spec_(spec), call_(call) {}

    [[noreturn]] void refuse(const std::string& reason) const
    {
        throw Refused(std::string("ck::BatchNormPlan::") + call_ + ": " + reason);
    }
    /// Checks an address of elements, if it is given.
    void tensor(const char* name, const void* address) const
    {
        aligned(name, address, spec_.alignment, " (BatchNormSpec::alignment)");
    }
    /// Checks an address of values for each channel, if it is given.
    void channels(const char* name, const void* address) const
    {
        aligned(name, address, spec_.type == DataType::f64 ? 8 : 4, "");
    }
    void needs(const char* name, const void* address, const char* why = "") const
    {
        if(address == nullptr)
            refuse(std::string(name) + " is null" + why);
    }
    void workspace(const void* address, std::size_t bytes) const
    {
        if(address == nullptr)
            refuse("workspace is null, but has " + std::to_string(bytes) +
                   " bytes (BatchNormPlan::workspace_size())");
        aligned("workspace", address, 16, "");
    }
    /// Checks x, y, the residual, weight and bias of a call that computes y.
    void forward(const BatchNormTensors& t) const
    {
        needs("x", t.x), needs("y", t.y);
        if(spec_.residual)
            needs("residual", t.residual, ", but the spec has one");
        else if(t.residual != nullptr)
            refuse("residual is not null, but the spec has none");
        tensor("x", t.x), tensor("y", t.y), tensor("residual", t.residual);
        channels("weight", t.weight), channels("bias", t.bias);
        channels("running_mean", t.running_mean), channels("running_variance", t.running_variance);
    }

private:
    void aligned(const char* name, const void* address, std::size_t bytes, const char* why) const
    {
        if(reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
            refuse(std::string(name) + " is at " + text(address) +
                   ", but must be at a multiple of " + std::to_string(bytes) + " bytes" + why);
    }

    const BatchNormSpec& spec_;
    const char* call_;
};

} // namespace

BatchNormPlan::BatchNormPlan(const BatchNormSpec& spec) : spec_(spec)
{
    check(spec);
    workspace_ = batch_norm::workspace_size(spec);
}

void BatchNormPlan::forward(const BatchNormTensors& t) const
{
    const Tensors rules(spec_, "forward");
    if(spec_.rows < 2)
        rules.refuse("rows is 1, but a variance needs at least two");
    rules.forward(t);
    rules.needs("mean", t.mean), rules.needs("inverse_deviation", t.inverse_deviation);
    rules.channels("mean", t.mean), rules.channels("inverse_deviation", t.inverse_deviation);
    if((t.running_mean == nullptr) != (t.running_variance == nullptr))
        rules.refuse("one of running_mean and running_variance is null, but either both are, or "
                     "none");
    if(t.running_mean != nullptr && !(t.momentum >= 0 && t.momentum <= 1))
        rules.refuse("momentum is " + text(t.momentum) + ", but must be from 0 to 1");
    rules.workspace(t.workspace, workspace_);
    batch_norm::forward(spec_, t);
}

void BatchNormPlan::backward(const BatchNormTensors& t) const
{
    const Tensors rules(spec_, "backward");
    rules.needs("x", t.x), rules.needs("dy", t.dy), rules.needs("dx", t.dx);
    rules.needs("mean", t.mean), rules.needs("inverse_deviation", t.inverse_deviation);
    if(spec_.residual && spec_.activation != BatchNormActivation::none)
        rules.needs(
            "y", t.y, ", but the derivative of an activation after a residual is read from it");
    if(!spec_.residual && t.d_residual != nullptr)
        rules.refuse("d_residual is not null, but the spec has no residual");
    for(const auto& [name, address] : {std::pair{"x", t.x},
                                       {"y", static_cast<const void*>(t.y)},
                                       {"dy", t.dy},
                                       {"dx", t.dx},
                                       {"d_residual", t.d_residual}})
        rules.tensor(name, address);
    for(const auto& [name, address] : {std::pair{"weight", t.weight},
                                       {"bias", t.bias},
                                       {"mean", t.mean},
                                       {"inverse_deviation", t.inverse_deviation},
                                       {"d_weight", t.d_weight},
                                       {"d_bias", t.d_bias}})
        rules.channels(name, address);
    rules.workspace(t.workspace, workspace_);
    batch_norm::backward(spec_, t);
}

void BatchNormPlan::inference(const BatchNormTensors& t) const
{
    const Tensors rules(spec_, "inference");
    rules.forward(t);
    rules.needs("running_mean", t.running_mean);
    rules.needs("running_variance", t.running_variance);
    batch_norm::inference(spec_, t);
}

} // namespace ck
