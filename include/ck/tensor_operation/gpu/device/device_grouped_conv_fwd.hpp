#pragma once
// Interface: forward grouped convolution of one X and one W to one Y, without D tensors.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// Y[g,n,k,ho,wo] = out_op(sum over c,y,x of in_op(X)[g,n,c,hi,wi] * wei_op(W)[g,k,c,y,x]),
/// hi = ho*stride + y*dilation - left_pad. Lengths and strides are in the order G,N,C,[D]HW /
/// G,K,C,[Z]YX / G,N,K,[D]HW, regardless of the layout tags; strides are in elements.
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
          typename OutElementwiseOperation>
struct DeviceGroupedConvFwd : public BaseOperator
{
    /// p_in: X. p_wei: W. p_out: Y, written. All are device pointers. Lengths and strides, in
    /// elements, are in the order in their names: in G N C, wei G K C, out G N K, then the spatial
    /// ones, slowest first; strides, dilations and pads have NDimSpatial entries, [D] H W. Pads may
    /// be negative (crops).
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        const void* p_wei,
                        void* p_out,
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
                        const InElementwiseOperation& in_element_op,
                        const WeiElementwiseOperation& wei_element_op,
                        const OutElementwiseOperation& out_element_op) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
