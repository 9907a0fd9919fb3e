#pragma once
// Forward convolution without groups, with a bias, an activation and a residual. For clients the
// only header of the operation: brings its types and element-wise operations along.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"

#include <memory>
#include <vector>

namespace ck::tensor_operation::device {

/// Y[n,ho,wo,k] = out_op(sum over c,y,x of in_op(X[n,hi,wi,c]) * wei_op(W[k,y,x,c]), bias[k],
/// residual[n,ho,wo,k]), hi = ho*stride + y*dilation - left_pad; X, W, Y and the residual packed
/// and channel-last as in DeviceConvFwd, bias of K elements. Every element of Y is written.
/// Inf, NaN and padding: docs/inf_and_nan.md.
template <typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
struct DeviceConvFwdBiasActivationAdd : public BaseOperator
{
    /// p_in: X. p_wei: W. p_out: Y, written. p_resi: the residual, which may be Y itself. The
    /// vectors have an entry for each spatial dimension.
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

    /// Makes the invoker, whose Run launches the arguments of this operation.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

/// Owns such an operation.
template <typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
using DeviceConvFwdBiasActivationAddPtr =
    std::unique_ptr<DeviceConvFwdBiasActivationAdd<InElementwiseOperation,
                                                   WeiElementwiseOperation,
                                                   OutElementwiseOperation>>;

} // namespace ck::tensor_operation::device
