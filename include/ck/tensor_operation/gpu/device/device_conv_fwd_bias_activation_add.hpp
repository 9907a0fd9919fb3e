#pragma once
// Interface: forward convolution without groups, with a bias, an activation and a residual. Clients
// need no other header: it includes the types and the element-wise operations.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"

#include <memory>
#include <vector>

namespace ck::tensor_operation::device {

/// Y[n,ho,wo,k] = out_op(sum over c,y,x of in_op(X[n,hi,wi,c]) * wei_op(W[k,y,x,c]), bias[k],
/// residual[n,ho,wo,k]), hi = ho*stride + y*dilation - left_pad. X, W, Y and the residual are
/// packed and channels last as in DeviceConvFwd; the bias has K elements. Writes every element of
/// Y. For Inf, NaN and padding see docs/inf_and_nan.md.
template <typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
struct DeviceConvFwdBiasActivationAdd : public BaseOperator
{
    /// p_in: X. p_wei: W. p_out: Y, written. p_resi: the residual, which may be Y itself. The
    /// vectors have one entry per spatial dimension.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        const void* p_wei,
                        void* p_out,
                        const void* p_bias,
                        const void* p_resi,
                        index_t N,
                        index_t K,
                        index_t C,
                        std::vector<index_t> input_spatial_lengths,
                        std::vector<index_t> filter_spatial_lengths,
                        std::vector<index_t> output_spatial_lengths,
                        std::vector<index_t> conv_filter_strides,
                        std::vector<index_t> conv_filter_dilations,
                        std::vector<index_t> input_left_pads,
                        std::vector<index_t> input_right_pads,
                        InElementwiseOperation in_element_op,
                        WeiElementwiseOperation wei_element_op,
                        OutElementwiseOperation out_element_op) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

/// A pointer that owns such an operation.
template <typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
using DeviceConvFwdBiasActivationAddPtr =
    std::unique_ptr<DeviceConvFwdBiasActivationAdd<InElementwiseOperation,
                                                   WeiElementwiseOperation,
                                                   OutElementwiseOperation>>;

} // namespace ck::tensor_operation::device
