#pragma once
// Interface: forward convolution without groups, packed channels-last tensors.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"

#include <vector>

namespace ck::tensor_operation::device {

/// Y[n,ho,wo,k] = sum over c,y,x of X[n,hi,wi,c] * W[k,y,x,c], hi = ho*stride + y*dilation -
/// left_pad, with element-wise operations applied to X (In...), W (Wei...) and the sum (Out...).
/// Shapes (2D): X N Hi Wi C, W K Y X C, Y N Ho Wo K. Writes every element of Y. For Inf, NaN and
/// padding see docs/inf_and_nan.md.
template <index_t NumDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
struct DeviceConvFwd : public BaseOperator
{
    /// p_in: X. p_wei: W. p_out: Y, written. The vectors have NumDimSpatial entries, [D] H W.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        const void* p_wei,
                        void* p_out,
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

} // namespace ck::tensor_operation::device
