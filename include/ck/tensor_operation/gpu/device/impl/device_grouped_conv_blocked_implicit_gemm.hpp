#pragma once
// Forward, backward data and backward weight as an implicit GEMM, with some tensors whose channels
// are in blocks (NDC1HWC0, NC1HWC0, FRACTAL_Z_3D, FRACTAL_Z). Runs on any engine whose threads
// compute addresses.
//
// Lengths count channels without padding; make_blocked_tensor() gives a tensor's strides and its
// number of elements. Tensors of other layouts may have any strides. Padding lanes of operands are
// ignored; those of results are set to zero. Vector widths must divide C0, and a slice
// (block_tile.k) must be a multiple of the blocks that are reduced. C and K of blocked tensors are
// arbitrary. Groups are blocked tensors, one after the other.
#include "ck/tensor_operation/gpu/conv/operation/blocked_conv_operation.hpp"
#include "ck/tensor_operation/gpu/conv/operation/blocked_weight_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

namespace ck::tensor_operation::device {

/// The operation of DeviceGroupedConvFwdMultipleABD without D tensors.
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
          GemmTuning tuning>
using DeviceGroupedConvFwdBlockedImplicitGemm = DeviceGroupedConvFwdImplicitGemm<
    NDimSpatial,
    InLayout,
    WeiLayout,
    Tuple<>,
    OutLayout,
    InDataType,
    WeiDataType,
    Tuple<>,
    OutDataType,
    InElementwiseOperation,
    WeiElementwiseOperation,
    OutElementwiseOperation,
    tuning,
    ConvolutionForwardSpecialization::Default,
    InDataType,
    InDataType,
    BlockedLaunch<InLayout, WeiLayout, OutLayout>::template Operation>;

/// The operation of DeviceGroupedConvBwdDataMultipleD without D tensors: A is dY, E is dX.
template <index_t NDimSpatial,
          typename OutLayout,
          typename WeiLayout,
          typename InLayout,
          typename OutDataType,
          typename WeiDataType,
          typename InDataType,
          typename OutElementwiseOperation,
          typename WeiElementwiseOperation,
          typename InElementwiseOperation,
          GemmTuning tuning>
using DeviceGroupedConvBwdDataBlockedImplicitGemm = DeviceGroupedConvBwdDataImplicitGemm<
    NDimSpatial,
    OutLayout,
    WeiLayout,
    Tuple<>,
    InLayout,
    OutDataType,
    WeiDataType,
    Tuple<>,
    InDataType,
    OutElementwiseOperation,
    WeiElementwiseOperation,
    InElementwiseOperation,
    tuning,
    ConvolutionBackwardDataSpecialization::Default,
    OutDataType,
    OutDataType,
    BlockedLaunch<InLayout, WeiLayout, OutLayout>::template Operation>;

/// The operation of DeviceGroupedConvBwdWeight. The workspace holds split_k partial sums. The
/// launch that stores dW also writes its padding lanes.
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
          GemmTuning tuning>
struct DeviceGroupedConvBwdWeightBlockedImplicitGemm
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
                                     InDataType,
                                     InDataType>,
          BlockedWeightOperation<typename BlockedLaunch<InLayout, WeiLayout, OutLayout>::
                                     template Operation<BackwardWeightDirection,
                                                        ConvTypes<OutDataType,
                                                                  InDataType,
                                                                  WeiDataType,
                                                                  OutElementwiseOperation,
                                                                  InElementwiseOperation,
                                                                  WeiElementwiseOperation>,
                                                        tuning>>,
          ConvolutionBackwardWeightSpecialization::Default,
          detail::GroupedConvBwdWeightNames>
{};

} // namespace ck::tensor_operation::device
