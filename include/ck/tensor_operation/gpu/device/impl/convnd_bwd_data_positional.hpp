#pragma once
// What the positional names of backward data share: packed channel-last layouts by rank, and a
// tuning from numbers.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/sequence.hpp"

#include <string>
#include <tuple>
#include <type_traits>

namespace ck::tensor_operation::device::positional {

template <index_t rank, class Layout1d, class Layout2d, class Layout3d>
using LayoutOfRank = std::tuple_element_t<rank - 1, std::tuple<Layout1d, Layout2d, Layout3d>>;

template <index_t rank,
          class In,
          class Wei,
          class Out,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          GemmTuning tuning,
          ConvolutionBackwardDataSpecialization specialization>
using ConvNdBwdData =
    DeviceConvNdBwdDataImplicitGemm<rank,
                                    LayoutOfRank<rank,
                                                 tensor_layout::convolution::NWC,
                                                 tensor_layout::convolution::NHWC,
                                                 tensor_layout::convolution::NDHWC>,
                                    LayoutOfRank<rank,
                                                 tensor_layout::convolution::KXC,
                                                 tensor_layout::convolution::KYXC,
                                                 tensor_layout::convolution::KZYXC>,
                                    LayoutOfRank<rank,
                                                 tensor_layout::convolution::NWK,
                                                 tensor_layout::convolution::NHWK,
                                                 tensor_layout::convolution::NDHWK>,
                                    In,
                                    Wei,
                                    Out,
                                    InOperation,
                                    WeiOperation,
                                    OutOperation,
                                    tuning,
                                    specialization>;

/// What every engine asks of the types.
template <class In, class Wei, class Out, class Acc>
constexpr void check_types()
{
    static_assert(std::is_same_v<In, Wei> && std::is_same_v<Wei, Out>,
                  "the three tensors must have the same element type");
    static_assert(std::is_same_v<Acc, float>, "AccDataType must be float");
}

template <class T>
inline constexpr bool is_16_bit = std::is_same_v<T, half_t> || std::is_same_v<T, bhalf_t>;

/// The product of a sequence's elements.
template <index_t... Is>
constexpr index_t product(Sequence<Is...>)
{
    return (Is * ... * 1);
}

inline std::string suffix(ConvolutionBackwardDataSpecialization specialization)
{
    return specialization == ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0
               ? " Filter1x1Stride1Pad0"
               : "";
}

/// "a, b, c"
template <class... Numbers>
std::string list(index_t first, Numbers... rest)
{
    std::string text = std::to_string(first);
    ((text += ", " + std::to_string(rest)), ...);
    return text;
}

} // namespace ck::tensor_operation::device::positional
