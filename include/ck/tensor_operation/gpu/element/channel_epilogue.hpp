#pragma once
// Scale, bias and activation that a kernel without an operation on the result applies to its sums.
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"

#include <cstdint>

namespace ck::tensor_operation::element_wise {

/// result = activation(scale * sum + bias[group][channel])
struct ChannelEpilogue
{
    const void* bias      = nullptr; ///< elements of the result's type, device memory; null: none
    std::int32_t channels = 0;       ///< biases of a group; the next group's follow
    /// Whether there is anything to do. As wide as the numbers around it: no byte is padding, which
    /// recorded parameters would differ in.
    std::int32_t exists = 0;
    ConvEpilogue operation{}; ///< its scale and its activation; its places are not looked at

    /// Whether kernels compute it. gelu they do not: beside a wave's sums, 64 x 64, the registers
    /// of erfc spill (nvcc 13, 392 bytes).
    static constexpr bool takes(const ConvEpilogue& operation)
    {
        return operation.activation != ConvEpilogue::Activation::gelu;
    }
};

} // namespace ck::tensor_operation::element_wise
