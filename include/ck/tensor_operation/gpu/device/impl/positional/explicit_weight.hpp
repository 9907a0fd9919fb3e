#pragma once
// Backward weight of 1x1 filters as one matrix product, for the positional names that leave the
// tiles to a GEMM operation.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

#include <cstdint>
#include <type_traits>

namespace ck::tensor_operation::device::positional {

/// The type in which products of T are summed.
template <class T>
using SumType =
    std::conditional_t<std::is_same_v<T, double>,
                       double,
                       std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>>;

/// MFMA, block tiles of 128 x 128, four waves. Instructions are 32 x 32, for doubles 16 x 16.
template <class T, bool single_loads>
constexpr Positions explicit_positions()
{
    constexpr auto bytes     = static_cast<index_t>(sizeof(T));
    constexpr index_t square = std::is_same_v<T, double> ? 16 : 32;
    return {.block_size    = 256,
            .block         = {128, 128, 64 / bytes},
            .k1            = 16 / bytes,
            .instruction_m = square,
            .instruction_n = square,
            .tiles_m       = 64 / square,
            .tiles_n       = 64 / square,
            .vectors       = {4, 4, 4},
            .single_loads  = single_loads};
}

/// See DeviceGroupedConvBwdWeight_Explicit.
template <index_t rank,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class In,
          class Wei,
          class Out,
          class InOperation,
          class WeiOperation,
          class OutOperation>
struct ExplicitWeight
    : public Weight<rank,
                    InLayout,
                    WeiLayout,
                    OutLayout,
                    In,
                    Wei,
                    Out,
                    SumType<In>,
                    InOperation,
                    WeiOperation,
                    OutOperation,
                    ConvolutionBackwardWeightSpecialization::Filter1x1Stride1Pad0,
                    In,
                    In,
                    explicit_positions<In, detail::pixels_last<InLayout, OutLayout>>()>
{
    /// The values between < and > in the type string.
    static std::string explicit_values()
    {
        return ExplicitWeight::position_values(64 / static_cast<index_t>(sizeof(In)));
    }
};

} // namespace ck::tensor_operation::device::positional
