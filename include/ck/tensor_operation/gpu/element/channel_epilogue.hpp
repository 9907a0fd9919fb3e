#pragma once
// Scale, bias, residual and activation that a kernel without a template operation on the result
// applies to its sums.
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"

#include <cstdint>
#include <tuple>

namespace ck::tensor_operation::element_wise {

/// result = activation(scale * sum + bias[group][channel] + residual), or the residual is added
/// after the activation
struct ChannelEpilogue
{
    const void* bias = nullptr; ///< elements of the result's type, device memory; null: none
    /// The residual: elements of the result's type in device memory, at the result's offsets; null
    /// means none. It may be the result itself: the wave that stores an element reads its residual
    /// once, before it stores.
    const void* residual  = nullptr;
    std::int32_t channels = 0; ///< biases per group; the next group's follow
    /// Whether there is anything to do. 32 bits wide, so that the struct has no padding bytes.
    std::int32_t exists = 0;
    /// Scale and activation. place2 says whether a residual is added and where, because its address
    /// may not be known yet.
    ConvEpilogue operation{};

    /// Whether there is a residual.
    bool adds_residual() const { return operation.place2 != ConvEpilogue::Place::nowhere; }

    /// What a kernel computes of an epilogue, or what an epilogue consists of.
    struct Parts
    {
        bool any      = false; ///< scale, bias and every activation except gelu
        bool residual = false; ///< a residual that is added
        bool gelu     = false; ///< gelu as the activation

        /// Whether the kernel computes an epilogue of these parts.
        constexpr bool have(const Parts& all) const
        {
            return any >= all.any && residual >= all.residual && gelu >= all.gelu;
        }
    };
    /// Its parts.
    Parts parts() const
    {
        return {exists != 0,
                adds_residual(),
                exists != 0 && operation.activation == ConvEpilogue::Activation::gelu};
    }

    auto addresses() const { return std::tie(bias, residual); } ///< the addresses in it
};

} // namespace ck::tensor_operation::element_wise
