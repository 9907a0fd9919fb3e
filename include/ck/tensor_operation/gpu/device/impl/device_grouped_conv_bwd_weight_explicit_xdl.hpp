#pragma once
// Backward weight of 1x1 convolutions as a batched GEMM under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/explicit_weight.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace and refusals as DeviceGroupedConvBwdWeightImplicitGemm; filters of
/// 1x1 with strides of 1 and no pads alone, of f16, bf16, f32, f64 and int8. DeviceGemmV3Op, the
/// operation that does the work in Composable Kernel, has no effect: the kernel is one for channels
/// that are multiples of 4 (of f64, of 2 in dY and X), by MFMA.
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
    : public positional::ExplicitWeight<NDimSpatial,
                                        InLayout,
                                        WeiLayout,
                                        OutLayout,
                                        InDataType,
                                        WeiDataType,
                                        OutDataType,
                                        InElementwiseOperation,
                                        WeiElementwiseOperation,
                                        OutElementwiseOperation>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvBwdWeight_Explicit_Xdl<" + this->explicit_values() + ">";
    }
};

} // namespace ck::tensor_operation::device
