#pragma once
// Quantized convolutions: kernels that store their sums as int32, and a launch that makes the
// result of them.
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/element/quantized_epilogue.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The operation on the result of such families: their name for it, and the object.
inline constexpr std::string_view quantized_operation = "Quantize";
struct Quantize
{
    /// Zero points of X and W, in their own types.
    std::int32_t x_zero = 0, w_zero = 0;
    float scale = 1; ///< scale of all channels, if there is no tensor of scales
    /// Whether D has these tensors, in this order.
    bool has_scales = false, has_bias = false, has_residual = false;
    element_wise::QuantizedEpilogue epilogue{};
};

/// Whether the family computes quantized convolutions: forward, with A and B in i8 or u8. Its D
/// tensors are the scales (f32), the biases (i32) and the residual; operation_c is "Quantize".
inline bool is_quantized(const Family& family) { return family.operation_c == quantized_operation; }

/// The family of the kernels that store the sums.
Family family_of_sums(const Family& family);

/// For a quantized family: kernels of family_of_sums(), each between launches, named "Quantized<",
/// the kernel's name, ">". Empty for others. They are valid until the program ends.
std::vector<std::span<const ConvKernel>> quantized(const Family& family,
                                                   const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
