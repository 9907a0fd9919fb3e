#pragma once
// Interface: backward weight of a grouped convolution.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/narrowed.hpp"
#include "ck/utility/integer.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// dW[g,k,c,y,x] = wei_op(sum over n,ho,wo of out_op(dY)[g,n,k,ho,wo] * in_op(X)[g,n,c,hi,wi]),
/// hi = ho*stride + y*dilation - left_pad. Writes every element of dW. Lengths and strides are in
/// the order G,N,C,[D]HW / G,K,C,[Z]YX / G,N,K,[D]HW, regardless of the layout tags; strides are in
/// elements.
/// split_k: computes the sum in that many parts in parallel; 0 means 1. With -1, each instance
/// predicts the number that is fastest on the current device. Smaller values are refused. Several
/// parts need a workspace (GetWorkSpaceSize): without one the sum is one part, or the instance
/// refuses. The bits of dW depend on the number of parts only; every run gives the same bits.
/// For Inf, NaN and padding see docs/inf_and_nan.md.
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
          typename ComputeTypeA = InDataType,
          typename ComputeTypeB = ComputeTypeA>
struct DeviceGroupedConvBwdWeight : public BaseOperator
{
    /// p_in: X. p_wei: dW, written. p_out: dY. All are device pointers. Lengths and strides, in
    /// elements, are in the order in their names: in G N C, wei G K C, out G N K, then the spatial
    /// ones, slowest first; strides, dilations and pads have NDimSpatial entries, [D] H W. Pads may
    /// be negative (crops). split_k: number of partial sums; 0 means 1, -1 lets the operation
    /// choose the fastest.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        void* p_wei,
                        const void* p_out,
                        const std::array<index_t, NDimSpatial + 3>& in_g_n_c_wis_lengths,
                        const std::array<index_t, NDimSpatial + 3>& in_g_n_c_wis_strides,
                        const std::array<index_t, NDimSpatial + 3>& wei_g_k_c_xs_lengths,
                        const std::array<index_t, NDimSpatial + 3>& wei_g_k_c_xs_strides,
                        const std::array<index_t, NDimSpatial + 3>& out_g_n_k_wos_lengths,
                        const std::array<index_t, NDimSpatial + 3>& out_g_n_k_wos_strides,
                        const std::array<index_t, NDimSpatial>& conv_filter_strides,
                        const std::array<index_t, NDimSpatial>& conv_filter_dilations,
                        const std::array<index_t, NDimSpatial>& input_left_pads,
                        const std::array<index_t, NDimSpatial>& input_right_pads,
                        InElementwiseOperation in_element_op,
                        WeiElementwiseOperation wei_element_op,
                        OutElementwiseOperation out_element_op,
                        index_t split_k) = 0;

    /// The same with 64-bit sizes. An operation that does not override it takes sizes that fit 32
    /// bits; others throw std::invalid_argument.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        void* p_wei,
                        const void* p_out,
                        const std::array<long_index_t, NDimSpatial + 3>& in_g_n_c_wis_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& in_g_n_c_wis_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& wei_g_k_c_xs_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& wei_g_k_c_xs_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& out_g_n_k_wos_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& out_g_n_k_wos_strides,
                        const std::array<long_index_t, NDimSpatial>& conv_filter_strides,
                        const std::array<long_index_t, NDimSpatial>& conv_filter_dilations,
                        const std::array<long_index_t, NDimSpatial>& input_left_pads,
                        const std::array<long_index_t, NDimSpatial>& input_right_pads,
                        InElementwiseOperation in_element_op,
                        WeiElementwiseOperation wei_element_op,
                        OutElementwiseOperation out_element_op,
                        index_t split_k)
    {
        return MakeArgumentPointer(p_in,
                                   p_wei,
                                   p_out,
                                   narrowed(in_g_n_c_wis_lengths),
                                   narrowed(in_g_n_c_wis_strides),
                                   narrowed(wei_g_k_c_xs_lengths),
                                   narrowed(wei_g_k_c_xs_strides),
                                   narrowed(out_g_n_k_wos_lengths),
                                   narrowed(out_g_n_k_wos_strides),
                                   narrowed(conv_filter_strides),
                                   narrowed(conv_filter_dilations),
                                   narrowed(input_left_pads),
                                   narrowed(input_right_pads),
                                   in_element_op,
                                   wei_element_op,
                                   out_element_op,
                                   split_k);
    }

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
