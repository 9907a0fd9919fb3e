#pragma once
// A spec in the form of kernels: its checks, the family of its kernels and their argument.
#include "ck/conv.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "conv/bias_gradient.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ck::conv {

using tensor_operation::device::instance::ConvArgument;
using tensor_operation::device::instance::ConvKernel;
using tensor_operation::device::instance::Family;

/// The memory of a run.
enum Slot : std::size_t
{
    slot_x,
    slot_w,
    slot_y,
    slot_bias,
    slot_residual,
    slot_scale,
    slot_x_scale,
    slot_w_scale,
    slot_y_scale,
    slot_amax,
    slot_workspace,
    slot_count
};
inline constexpr std::array<const char*, slot_count> slot_names{"x",
                                                                "w",
                                                                "y",
                                                                "bias",
                                                                "residual",
                                                                "scale",
                                                                "x_scale",
                                                                "w_scale",
                                                                "y_scale",
                                                                "amax",
                                                                "workspace"};

/// One of X, W and Y, or an additional tensor.
struct TensorUse
{
    bool used         = false;
    std::size_t bytes = 0; ///< from the first element to the end of the last; 0 if there is none
};

/// The sizes of a spec that is a valid convolution.
struct Sizes
{
    ConvProblem problem;
    Direction direction; ///< direction of the kernels
    /// The tensors of the problem: for a transposed convolution, X and Y are exchanged.
    Slot input, output;

    Slot result() const;
    TensorLengths lengths(Slot slot) const;
    const TensorStrides& strides(Slot slot) const;
};

/// Throws Refused if the spec is not a valid convolution.
Sizes sizes_of(const ConvSpec& spec);

/// Whether a type is an eight-bit float of OCP's encoding, which may have scales.
inline bool is_ocp_float8(DataType type)
{
    return type == DataType::f8_ocp || type == DataType::bf8_ocp;
}
/// Whether the spec is a quantized convolution of eight-bit floats.
bool is_scaled_float8(const ConvSpec& spec);

/// The type of X, W, Y or the residual.
DataType type_of(const ConvSpec& spec, Slot slot);
std::size_t bytes_of_element(DataType type);
std::size_t bytes_of_tensor(const ConvSpec& spec, const Sizes& sizes, Slot slot);

/// A spec with the family of its kernels.
struct Resolved
{
    Sizes sizes;
    Family family;
    std::shared_ptr<const void> operation; ///< C's operation
    std::vector<Slot> d;
    std::vector<TensorStrides> d_strides;
    std::array<TensorUse, slot_count> uses;
    std::optional<BiasGradient> bias_gradient{};
    bool whole_sums = false; ///< ConvArgument::whole_sums

    /// The argument with these addresses. It points to the operation of this Resolved.
    ConvArgument argument(const std::array<std::uintptr_t, slot_count>& at) const;

    /// Whether run() writes it.
    bool is_written(Slot slot) const
    {
        return slot == sizes.result() || slot == slot_workspace || slot == slot_amax ||
               (slot == slot_bias && bias_gradient);
    }
};

/// Throws Refused if the spec is not a valid convolution, or if no kernel can exist for it.
Resolved resolve(const ConvSpec& spec);

/// C's operation for an epilogue and beta: its name, the object, and the tensors that it reads.
struct Operation
{
    std::string name;
    std::shared_ptr<const void> object;
    std::vector<Slot> d;
};

/// The operations that compute it, the cheapest first. Throws Refused if there is none.
/// result: the slot of beta's tensor. operand, stored: types of the operands and of the
/// result.
std::vector<Operation> operations_of(
    const Epilogue& epilogue, bool accumulates, Slot result, DataType operand, DataType stored);

} // namespace ck::conv
