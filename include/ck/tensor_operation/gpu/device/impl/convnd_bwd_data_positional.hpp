#pragma once
// What the positional names of backward data without groups share: packed channel-last layouts by
// rank.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

namespace ck::tensor_operation::device::positional {

/// A class, since g++ 12 dies on an alias whose tuning is what a function returns.
template <index_t rank,
          class In,
          class Wei,
          class Out,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          GemmTuning tuning,
          ConvolutionBackwardDataSpecialization specialization,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct ConvNdBwdData
    : public DeviceConvNdBwdDataImplicitGemm<rank,
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
                                             specialization,
                                             Out,
                                             Launch>
{};

} // namespace ck::tensor_operation::device::positional
