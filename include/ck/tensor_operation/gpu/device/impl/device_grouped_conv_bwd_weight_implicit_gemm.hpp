#pragma once
// Backward weight of a grouped convolution as an implicit GEMM, on any engine. The tuning's matrix
// instruction selects the engine.
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_adapter.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight_multiple_d.hpp"

namespace ck::tensor_operation::device {

/// The operation of DeviceGroupedConvBwdWeight (shapes: see there) with the tuning of a kernel.
/// ComputeTypeA is dY's and ComputeTypeB is X's. Takes tensors of any strides. K must be a
/// multiple of a_vector, C of b_vector, and the channels of dY and X contiguous if the vector is
/// longer than 1. Takes any split_k. Needs a workspace of GetWorkSpaceSize() bytes. Without it
/// the sum has one part, C must be a multiple of c_vector, dW's taps and channels must be evenly
/// spaced, and a message on stderr says so.
///
/// Groups much smaller than the tile are computed several at a time if their channels are
/// adjacent in memory (NHWGC); this needs a workspace too. Launch builds the launch of the
/// kernel.
template <index_t NDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          GemmTuning tuning,
          typename ComputeTypeA = InDataType,
          typename ComputeTypeB = ComputeTypeA,
          ConvolutionBackwardWeightSpecialization specialization =
              ConvolutionBackwardWeightSpecialization::Default,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct DeviceGroupedConvBwdWeightImplicitGemm
    : public detail::GroupedConvBwdWeight<
          DeviceGroupedConvBwdWeight<NDimSpatial,
                                     InLayout,
                                     WeiLayout,
                                     OutLayout,
                                     InDataType,
                                     WeiDataType,
                                     OutDataType,
                                     InElementwiseOperation,
                                     WeiElementwiseOperation,
                                     OutElementwiseOperation,
                                     ComputeTypeA,
                                     ComputeTypeB>,
          BackwardWeightOperation<ConvTypes<OutDataType,
                                            InDataType,
                                            WeiDataType,
                                            OutElementwiseOperation,
                                            InElementwiseOperation,
                                            WeiElementwiseOperation,
                                            Tuple<>,
                                            ComputeTypeA,
                                            ComputeTypeB>,
                                  tuning,
                                  detail::BackwardWeightDirectionOf<InLayout, OutLayout, tuning>,
                                  Launch>,
          specialization,
          detail::GroupedConvBwdWeightNames>
{};

/// The operation of DeviceGroupedConvBwdWeightMultipleD, in two stages. The second stage reads the
/// D tensors, which may have any strides. Needs a workspace.
template <index_t NDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename DsLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename DsDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          GemmTuning tuning,
          typename ComputeTypeA = InDataType,
          typename ComputeTypeB = ComputeTypeA,
          ConvolutionBackwardWeightSpecialization specialization =
              ConvolutionBackwardWeightSpecialization::Default,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct DeviceGroupedConvBwdWeightMultipleDImplicitGemm
    : public detail::GroupedConvBwdWeight<
          DeviceGroupedConvBwdWeightMultipleD<NDimSpatial,
                                              InLayout,
                                              WeiLayout,
                                              OutLayout,
                                              DsLayout,
                                              InDataType,
                                              WeiDataType,
                                              OutDataType,
                                              DsDataType,
                                              InElementwiseOperation,
                                              WeiElementwiseOperation,
                                              OutElementwiseOperation,
                                              ComputeTypeA,
                                              ComputeTypeB>,
          BackwardWeightOperation<ConvTypes<OutDataType,
                                            InDataType,
                                            WeiDataType,
                                            OutElementwiseOperation,
                                            InElementwiseOperation,
                                            WeiElementwiseOperation,
                                            DsDataType,
                                            ComputeTypeA,
                                            ComputeTypeB>,
                                  tuning,
                                  detail::BackwardWeightDirectionOf<InLayout, OutLayout, tuning>,
                                  Launch>,
          specialization,
          detail::GroupedConvBwdWeightMultipleDNames>
{};

} // namespace ck::tensor_operation::device
