#pragma once
// The launches around a convolution that computes eight-bit tensors as f16.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/utility/data_type.hpp"

#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// A tensor of eight-bit elements, and a contiguous copy in f16 with the same order of elements.
struct HalfCopy
{
    std::string type; ///< type of the tensor's elements
    TensorLengths lengths;
    TensorStrides original, copy; ///< elements
};

/// Whether there are launches for a type.
bool has_half_copies(const std::string& type);

/// Adds the launch that copies the tensor, device memory.
void copy_to_halves(const HalfCopy& how, const void* tensor, void* copy, LaunchList& list);
/// Adds the launch that writes the tensor from its copy.
void copy_from_halves(const HalfCopy& how, const void* copy, void* tensor, LaunchList& list);

/// Predicted clock cycles of either launch: see predicted_time.hpp.
inline double predicted_copy(const HalfCopy& how)
{
    return predicted_transposition(static_cast<double>(element_count(how.lengths)) *
                                   (1 + sizeof(half_t)));
}

} // namespace ck::tensor_operation::device::instance
