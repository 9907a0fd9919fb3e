#pragma once
// Convolutions of eight-bit floats with scales: kernels that store their sums as f32, and a launch
// that makes the result of them.
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The operation on the result of such families: their name for it, and the object.
inline constexpr std::string_view scaled_float8_operation = "ScaleFloat8";
struct ScaleFloat8
{
    /// Whether D has these tensors, in this order; each of f32, but the residual.
    bool has_a_scale = false, has_b_scale = false, has_channel_scale = false, has_bias = false,
         has_residual = false;
    bool has_amax     = false; ///< this one is written
    /// Applies to the scaled sum, and adds the bias and the residual.
    element_wise::ConvEpilogue epilogue{};
};

/// Whether the family computes such convolutions: of any direction, with A and B in f8_ocp or
/// bf8_ocp. operation_c is "ScaleFloat8".
inline bool is_scaled_float8(const Family& family)
{
    return family.operation_c == scaled_float8_operation;
}

/// Whether pieces of an image can be computed one after the other: not if their amax would have to
/// be combined, nor pieces of a dW, which are sums.
bool has_scaled_pieces(const Family& family, const ConvArgument& argument);

/// The family of the kernels that store the sums. Others of exact_upcast() do, too.
Family family_of_float8_sums(const Family& family);

/// For a family of scaled eight-bit floats: kernels that store the sums, each before the launch
/// that scales them, named "Scaled<", the kernel's name, ">". Empty for others. They are valid
/// until the program ends.
std::vector<std::span<const ConvKernel>> scaled_float8(const Family& family,
                                                       const ConvArgument& argument);

} // namespace ck::tensor_operation::device::instance
