#pragma once
// The launch that applies a separate epilogue.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/conv/argument/d_argument.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"

#include <array>
#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// result = operation(sum, factor[0] * d[0], factor[1] * d[1])
struct EpilogueLaunch
{
    std::string type; ///< type of all elements
    TensorLengths lengths;
    TensorStrides result, sum; ///< elements
    element_wise::ConvEpilogue operation;
    std::array<float, 2> factor;
    std::array<DArgument, 2> d; ///< ignored if the operation does not add it
};

/// Bytes of an element; 0 if there is no launch for the type.
index_t epilogue_element_bytes(const std::string& type);

/// Whether a D tensor has the result's strides: then it may be the result itself.
bool is_like_result(const EpilogueLaunch& how, const DArgument& d);

/// Adds the launch. sum, result: device memory; the same if strides are the same, or disjoint.
void apply_epilogue(const EpilogueLaunch& how, const void* sum, void* result, LaunchList& list);

/// Predicted clock cycles with tensors at these addresses.
double predicted_epilogue(const EpilogueLaunch& how, const void* sum, const void* result);

} // namespace ck::tensor_operation::device::instance
