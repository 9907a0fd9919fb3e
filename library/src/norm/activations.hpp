#pragma once
// The activation that a norm's kernels compute, from the norm's spec.
#include "ck/batch_norm.hpp"
#include "ck/group_norm.hpp"
#include "ck/tensor_operation/gpu/norm/activation.hpp"

#include <limits>

namespace ck::norm {

template <class Acc>
Activation<Acc> activation_of(const BatchNormSpec& spec)
{
    switch(spec.activation)
    {
    case BatchNormActivation::none:
        break;
    case BatchNormActivation::relu:
        return {Function::clamp, Acc(0), std::numeric_limits<Acc>::quiet_NaN()};
    case BatchNormActivation::silu:
        return {Function::silu, Acc(0), Acc(0)};
    case BatchNormActivation::clamp:
        return {Function::clamp, static_cast<Acc>(spec.least), static_cast<Acc>(spec.most)};
    case BatchNormActivation::hard_swish:
        return {Function::hard_swish, Acc(0), Acc(0)};
    }
    return {Function::none, Acc(0), Acc(0)};
}

template <class Acc>
Activation<Acc> activation_of(const GroupNormSpec& spec)
{
    switch(spec.activation)
    {
    case GroupNormActivation::none:
        break;
    case GroupNormActivation::relu:
        return {Function::clamp, Acc(0), std::numeric_limits<Acc>::quiet_NaN()};
    case GroupNormActivation::silu:
        return {Function::silu, Acc(0), Acc(0)};
    case GroupNormActivation::leaky_relu:
        return {Function::leaky_relu, Acc(0), Acc(0), static_cast<Acc>(spec.slope)};
    }
    return {Function::none, Acc(0), Acc(0)};
}

} // namespace ck::norm
