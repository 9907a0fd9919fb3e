#pragma once
// The launches around a convolution that computes eight-bit tensors as f16 or bf16.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/utility/data_type.hpp"

#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// A tensor of eight-bit elements, and a contiguous copy in f16 or bf16 with the same order of
/// elements.
struct UpcastCopy
{
    std::string type; ///< type of the tensor's elements
    std::string as;   ///< type of the copy's elements: f16 or bf16
    TensorLengths lengths;
    TensorStrides original, copy; ///< elements
};

/// Whether tensors of a type are copied to f16 and back, or only to bf16, which holds every
/// eight-bit OCP float.
bool has_half_copies(const std::string& type);
bool has_bhalf_copies(const std::string& type);

/// Adds the launch that copies the tensor, device memory.
void copy_up(const UpcastCopy& how, const void* tensor, void* copy, LaunchList& list);
/// Adds the launch that writes the tensor from its copy in f16.
void copy_down(const UpcastCopy& how, const void* copy, void* tensor, LaunchList& list);

/// Predicted clock cycles of either launch: see predicted_time.hpp.
inline double predicted_copy(const UpcastCopy& how)
{
    return predicted_transposition(static_cast<double>(element_count(how.lengths)) *
                                   (1 + sizeof(half_t)));
}

} // namespace ck::tensor_operation::device::instance
