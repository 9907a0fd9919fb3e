#pragma once
// The launches after the kernel of a convolution of eight-bit floats with scales.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"

#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// What the launches read and write. Addresses of what does not exist are null.
struct ScaleLaunch
{
    std::string type; ///< type of the result: f16, bf16, f32
    TensorLengths lengths{};
    TensorStrides result{};    ///< elements
    const void* sum = nullptr; ///< f32
    TensorStrides sums{};      ///< elements
    const void *a_scale = nullptr, *b_scale = nullptr, *channel_scale = nullptr, *bias = nullptr;
    std::string residual_type; ///< empty: there is none
    const void* residual = nullptr;
    bool has_amax        = false;
    void* amax           = nullptr; ///< f32, is written
    void* largest        = nullptr; ///< bytes_of_largest() bytes, for parts of the amax
    element_wise::ConvEpilogue epilogue{};
};

/// Bytes of an element of a result or residual; 0 if there is no launch for the type.
index_t scaled_element_bytes(const std::string& type);

/// Bytes that the search for the largest magnitude of this many elements takes.
std::size_t bytes_of_largest(long_index_t elements);

/// Adds the launches.
void scale_sums(const ScaleLaunch& how, void* result, LaunchList& list);

} // namespace ck::tensor_operation::device::instance
