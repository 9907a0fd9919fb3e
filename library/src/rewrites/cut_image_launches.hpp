#pragma once
// The launch that rounds sums of f32 to dW.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/conv/argument/d_argument.hpp"

#include <optional>
#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// result = scale * sum + factor * d, rounded once
struct RoundedSums
{
    std::string type; ///< type of the result and of d: f16 or bf16
    TensorLengths lengths;
    TensorStrides result, sum; ///< elements
    float scale;
    float factor;
    std::optional<DArgument> d;
};

/// Adds the launch. sums: f32.
void round_sums(const RoundedSums& how, const void* sums, void* result, LaunchList& list);

} // namespace ck::tensor_operation::device::instance
