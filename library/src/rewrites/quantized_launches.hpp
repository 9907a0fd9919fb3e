#pragma once
// The launches around the kernel of a quantized convolution.
#include "ck/convolution/problem.hpp"

#include "rewrites/quantized.hpp"
#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// Adds the launch that copies a tensor of u8 as i8, each element less 128.
void copy_as_signed(const TensorLengths& lengths,
                    const void* tensor,
                    const TensorStrides& strides,
                    void* copy,
                    const TensorStrides& copy_strides,
                    LaunchList& list);

/// The sums of filters: [tap][channel of all groups], then those of all taps, each element less
/// `zero`. Their number, and the launches that compute them from W of i8.
long_index_t filter_sum_count(const ConvProblem& problem);
void sum_filters(
    const ConvProblem& problem, const void* w, std::int32_t zero, void* sums, LaunchList& list);

/// The sums of X over windows: [pixel of all images][group]. The number of sums of X's channels,
/// and of windows, and the launches that compute them from X of i8.
long_index_t channel_sum_count(const ConvProblem& problem);
long_index_t window_sum_count(const ConvProblem& problem);
void sum_windows(const ConvProblem& problem,
                 const void* x,
                 void* of_channels,
                 void* of_windows,
                 LaunchList& list);

/// What the last launch reads and writes. Addresses of what does not exist are null.
struct QuantizeLaunch
{
    std::string type;            ///< type of the result: i8, u8, f16, bf16, f32
    ConvProblem problem;         ///< with the result's strides
    const void* sum = nullptr;   ///< int32, with sum_strides
    TensorStrides sum_strides{}; ///< elements
    const void* scales = nullptr;
    const void* bias   = nullptr;
    std::string residual_type; ///< empty: there is none
    const void* residual = nullptr;
    const void* filters  = nullptr;
    const void* windows  = nullptr;
    std::int32_t x_zero = 0, w_zero = 0; ///< in the domain of the kernel's operands
    float scale      = 1;
    bool has_filters = false, has_windows = false;
    element_wise::QuantizedEpilogue epilogue{};
};

/// Bytes of an element of a result or residual; 0 if there is no launch for the type.
index_t quantized_element_bytes(const std::string& type);

/// Adds the launch.
void quantize(const QuantizeLaunch& how, void* result, LaunchList& list);

} // namespace ck::tensor_operation::device::instance
