#pragma once
// Parameters of kernels that follow from the spec of a group norm.
#include "ck/group_norm.hpp"
#include "ck/tensor_operation/gpu/norm/activation.hpp"
#include "ck/tensor_operation/gpu/norm/combine.hpp"
#include "ck/tensor_operation/gpu/norm/parameters.hpp"

#include "norm/launch.hpp"
#include <limits>

namespace ck::norm {

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

template <class T>
Parameters<T, AccOf<T>> parameters(const GroupNormSpec& spec, const void* address)
{
    return {const_cast<void*>(address), spec.parameters_as_x};
}

/// The parameters of a sum of terms for each of the work's statistics.
template <class Work>
typename Combine<Work>::Params combined(index_t terms, const typename Work::Params& work)
{
    return {Combine<Work>::lanes(terms), work};
}

} // namespace ck::norm
