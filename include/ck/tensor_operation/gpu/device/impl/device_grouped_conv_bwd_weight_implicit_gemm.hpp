#pragma once
// Backward weight of a grouped convolution as an implicit GEMM, on any engine: the tuning's matrix
// instruction names it.
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_adapter.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight_multiple_d.hpp"

namespace ck::tensor_operation::device {

/// The operation of DeviceGroupedConvBwdWeight (see there for shapes) with the tuning of a kernel.
/// ComputeTypeA is dY's and ComputeTypeB X's. Supported: any strides of the tensors; K a multiple
/// of a_vector, C of b_vector, and the channels of dY and X contiguous where the vectors are longer
/// than 1; split_k as there. Needs GetWorkSpaceSize()
/// bytes of workspace; without them it computes the sum in one part, which takes C a multiple of
/// c_vector and dW's taps and channels evenly spaced, and says so on stderr.
///
/// Groups much smaller than the tile are computed several at a time where their channels follow
/// each other in memory (NHWGC), which takes a workspace too. Launch: what makes a launch of the
/// tuning.
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

/// The operation of DeviceGroupedConvBwdWeightMultipleD: the same in two stages, the second of
/// which reads the D tensors, of any strides. Needs a workspace.
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
