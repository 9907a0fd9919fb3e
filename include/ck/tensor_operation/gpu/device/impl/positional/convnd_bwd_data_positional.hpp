#pragma once
// What the positional names of backward data without groups share: the packed channels-last layouts
// for each rank.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional.hpp"

namespace ck::tensor_operation::device::positional {

/// A class, because g++ 12 crashes on an alias whose tuning is the result of a function.
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
struct ConvNdBwdData : public DeviceConvNdBwdDataImplicitGemm<rank,
                                                              PackedInput<rank>,
                                                              PackedWeight<rank>,
                                                              PackedOutput<rank>,
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
