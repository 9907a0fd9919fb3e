#pragma once
// Interface: backward weight of a grouped convolution, fused with operations and D tensors.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/narrowed.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// dW[g,k,c,y,x] = wei_op(sum over n,ho,wo of out_op(dY)[g,n,k,ho,wo] * in_op(X)[g,n,c,hi,wi],
/// D...). split_k and the rest as in DeviceGroupedConvBwdWeight. D tensors have dW's lengths, or a
/// length of 1 to repeat along a dimension, and their own strides; one may be dW itself.
/// For Inf, NaN and padding see docs/inf_and_nan.md.
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
          typename ComputeTypeA = InDataType,
          typename ComputeTypeB = ComputeTypeA>
struct DeviceGroupedConvBwdWeightMultipleD : public BaseOperator
{
    /// Number of D tensors that wei_op reads.
    static constexpr index_t NumDTensor = DsDataType::Size();
    static_assert(NumDTensor == DsLayout::Size(), "one layout for each D tensor");

    /// p_in: X. p_wei: dW, written. p_out: dY. All are device pointers. Lengths and strides, in
    /// elements, are in the order in their names: in G N C, wei and ds G K C, out G N K, then the
    /// spatial ones, slowest first; strides, dilations and pads have NDimSpatial entries, [D] H W.
    /// Pads may be negative (crops). split_k: number of partial sums; 0 means 1, -1 lets the
    /// operation choose the fastest.
    virtual std::unique_ptr<BaseArgument> MakeArgumentPointer(
        const void* p_in,
        void* p_wei,
        const void* p_out,
        const std::array<const void*, NumDTensor>& p_ds,
        const std::array<index_t, NDimSpatial + 3>& in_g_n_c_wis_lengths,
        const std::array<index_t, NDimSpatial + 3>& in_g_n_c_wis_strides,
        const std::array<index_t, NDimSpatial + 3>& wei_g_k_c_xs_lengths,
        const std::array<index_t, NDimSpatial + 3>& wei_g_k_c_xs_strides,
        const std::array<index_t, NDimSpatial + 3>& out_g_n_k_wos_lengths,
        const std::array<index_t, NDimSpatial + 3>& out_g_n_k_wos_strides,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_k_c_xs_lengths,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_k_c_xs_strides,
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
                        const std::array<const void*, NumDTensor>& p_ds,
                        const std::array<long_index_t, NDimSpatial + 3>& in_g_n_c_wis_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& in_g_n_c_wis_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& wei_g_k_c_xs_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& wei_g_k_c_xs_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& out_g_n_k_wos_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& out_g_n_k_wos_strides,
                        const std::array<std::array<long_index_t, NDimSpatial + 3>, NumDTensor>&
                            ds_g_k_c_xs_lengths,
                        const std::array<std::array<long_index_t, NDimSpatial + 3>, NumDTensor>&
                            ds_g_k_c_xs_strides,
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
                                   p_ds,
                                   narrowed(in_g_n_c_wis_lengths),
                                   narrowed(in_g_n_c_wis_strides),
                                   narrowed(wei_g_k_c_xs_lengths),
                                   narrowed(wei_g_k_c_xs_strides),
                                   narrowed(out_g_n_k_wos_lengths),
                                   narrowed(out_g_n_k_wos_strides),
                                   narrowed(ds_g_k_c_xs_lengths),
                                   narrowed(ds_g_k_c_xs_strides),
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
