#pragma once
// Backward weight of 1x1 convolutions as a batched GEMM under Composable Kernel's positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/explicit_weight.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments, workspace: those of DeviceGroupedConvBwdWeightImplicitGemm. Takes only 1x1
/// filters with strides of 1 and no padding; types f16, bf16, f32, f64 and int8. DeviceGemmV3Op is
/// ignored (in Composable Kernel it does the work): the kernel uses MFMA and takes channels that
/// are multiples of 4 (f64: multiples of 2 in dY and X).
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
