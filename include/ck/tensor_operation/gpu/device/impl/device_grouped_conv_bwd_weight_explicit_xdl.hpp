#pragma once
// Backward weight of 1x1 convolutions as a batched GEMM under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and refusals as DeviceGroupedConvBwdWeightImplicitGemm; filters of
/// 1x1 with strides of 1 and no pads alone. DeviceGemmV3Op, the operation that does the work in
/// Composable Kernel, has no effect: the kernel is one for channels that are multiples of 4, by
/// MFMA of 32 x 32.
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
          typename DeviceGemmV3Op>
struct DeviceGroupedConvBwdWeight_Explicit_Xdl
    : public positional::Weight<
          NDimSpatial,
          InLayout,
          WeiLayout,
          OutLayout,
          InDataType,
          WeiDataType,
          OutDataType,
          float,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          ConvolutionBackwardWeightSpecialization::Filter1x1Stride1Pad0,
          InDataType,
          InDataType,
          positional::Positions{.block_size = 256,
                                .block = {128, 128, 64 / static_cast<index_t>(sizeof(InDataType))},
                                .k1    = 16 / static_cast<index_t>(sizeof(InDataType)),
                                .instruction_m = 32,
                                .instruction_n = 32,
                                .tiles_m       = 2,
                                .tiles_n       = 2,
                                .vectors       = {4, 4, 4},
                                .single_loads  = detail::pixels_last<InLayout, OutLayout>}>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Explicit_Xdl<" +
               this->position_values(64 / static_cast<index_t>(sizeof(InDataType))) + ">";
    }
};

} // namespace ck::tensor_operation::device
