#pragma once
// Parameters of kernels that follow from the spec of a group norm.
#include "ck/group_norm.hpp"
#include "ck/tensor_operation/gpu/norm/combine.hpp"
#include "ck/tensor_operation/gpu/norm/parameters.hpp"

#include "norm/activations.hpp"
#include "norm/launch.hpp"

namespace ck::norm {

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
