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
    std::string type; ///< of all elements
    TensorLengths lengths;
    TensorStrides result, sum; ///< elements
    element_wise::ConvEpilogue operation;
    std::array<float, 2> factor;
    std::array<DArgument, 2> d; ///< not looked at where the operation adds it nowhere
};

/// Bytes of an element; 0 if there is no such launch of the type.
index_t epilogue_element_bytes(const std::string& type);

/// Whether the strides of a D tensor are the result's: then it may be the result itself.
bool is_like_result(const EpilogueLaunch& how, const DArgument& d);

/// Adds the launch. sum, result: device memory, the same where strides are the same or apart.
void apply_epilogue(const EpilogueLaunch& how, const void* sum, void* result, LaunchList& list);

/// In clock cycles, with tensors at these addresses.
double predicted_epilogue(const EpilogueLaunch& how, const void* sum, const void* result);

} // namespace ck::tensor_operation::device::instance
