#pragma once
// Scale, bias, residual and activation that a kernel without an operation on the result applies to
// its sums.
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"

#include <cstdint>
#include <tuple>

namespace ck::tensor_operation::element_wise {

/// result = activation(scale * sum + bias[group][channel] + residual)
struct ChannelEpilogue
{
    const void* bias = nullptr; ///< elements of the result's type, device memory; null: none
    /// Elements of the result's type, device memory, each where the result's is from its begin on.
    /// The result itself may be the residual: an element is read once, by the wave that stores it,
    /// before the wave stores it. Null: none.
    const void* residual  = nullptr;
    std::int32_t channels = 0; ///< biases of a group; the next group's follow
    /// Whether there is anything to do. As wide as the numbers around it: no byte is padding.
    std::int32_t exists = 0;
    /// Its scale and its activation; and whether a residual is added, place2: its address may not
    /// be known yet.
    ConvEpilogue operation{};

    /// Whether there is a residual.
    bool adds_residual() const { return operation.place2 != ConvEpilogue::Place::nowhere; }

    /// Whether kernels compute it. gelu they do not: beside a wave's sums, 64 x 64, the registers
    /// of erfc spill (nvcc 13, 392 bytes).
    static constexpr bool takes(const ConvEpilogue& operation)
    {
        return operation.activation != ConvEpilogue::Activation::gelu;
    }

    auto addresses() const { return std::tie(bias, residual); } ///< ties its addresses
};

} // namespace ck::tensor_operation::element_wise
