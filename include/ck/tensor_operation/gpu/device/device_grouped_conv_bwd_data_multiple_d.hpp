#pragma once
// Interface: backward data of a grouped convolution, fused with operations and D tensors.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/narrowed.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// E[g,n,c,hi,wi] = cde_op(sum over k,y,x of a_op(A)[g,n,k,ho,wo] * b_op(B)[g,k,c,y,x], D...),
/// hi = ho*stride + y*dilation - left_pad. A is dY, B is W and E is dX. Writes every element of E.
/// Lengths and strides are in the order G,N,K,[D]HW / G,K,C,[Z]YX / G,N,C,[D]HW, regardless of the
/// layout tags; strides are in elements.
/// For Inf, NaN and padding see docs/inf_and_nan.md.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          typename AComputeType = ADataType,
          typename BComputeType = AComputeType>
struct DeviceGroupedConvBwdDataMultipleD : public BaseOperator
{
    /// Number of D tensors that cde_op reads.
    static constexpr index_t NumDTensor = DsDataType::Size();
    static_assert(NumDTensor == DsLayout::Size(), "one layout for each D tensor");

    /// p_a: dY. p_b: W. p_e: dX, written. All are device pointers. Lengths and strides, in
    /// elements, are in the order in their names: a G N K, b G K C, e G N C, then the spatial ones,
    /// slowest first; strides, dilations and pads have NDimSpatial entries, [D] H W. Pads may be
    /// negative (crops). split_k: -1, 0 (means 1) or the number of parts that a caller would use;
    /// smaller values are refused. The operations here choose the number themselves (see
    /// GetWorkSpaceSize), and dX does not depend on it.
    virtual std::unique_ptr<BaseArgument> MakeArgumentPointer(
        const void* p_a,
        const void* p_b,
        const std::array<const void*, NumDTensor>& p_ds,
        void* p_e,
        const std::array<index_t, NDimSpatial + 3>& a_g_n_k_wos_lengths,
        const std::array<index_t, NDimSpatial + 3>& a_g_n_k_wos_strides,
        const std::array<index_t, NDimSpatial + 3>& b_g_k_c_xs_lengths,
        const std::array<index_t, NDimSpatial + 3>& b_g_k_c_xs_strides,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_n_c_wis_lengths,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_n_c_wis_strides,
        const std::array<index_t, NDimSpatial + 3>& e_g_n_c_wis_lengths,
        const std::array<index_t, NDimSpatial + 3>& e_g_n_c_wis_strides,
        const std::array<index_t, NDimSpatial>& conv_filter_strides,
        const std::array<index_t, NDimSpatial>& conv_filter_dilations,
        const std::array<index_t, NDimSpatial>& input_left_pads,
        const std::array<index_t, NDimSpatial>& input_right_pads,
        const AElementwiseOperation& a_element_op,
        const BElementwiseOperation& b_element_op,
        const CDEElementwiseOperation& cde_element_op,
        index_t split_k = 1) = 0;

    /// The same with 64-bit sizes. An operation that does not override it takes sizes that fit 32
    /// bits; others throw std::invalid_argument.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_a,
                        const void* p_b,
                        const std::array<const void*, NumDTensor>& p_ds,
                        void* p_e,
                        const std::array<long_index_t, NDimSpatial + 3>& a_g_n_k_wos_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& a_g_n_k_wos_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& b_g_k_c_xs_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& b_g_k_c_xs_strides,
                        const std::array<std::array<long_index_t, NDimSpatial + 3>, NumDTensor>&
                            ds_g_n_c_wis_lengths,
                        const std::array<std::array<long_index_t, NDimSpatial + 3>, NumDTensor>&
                            ds_g_n_c_wis_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& e_g_n_c_wis_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& e_g_n_c_wis_strides,
                        const std::array<long_index_t, NDimSpatial>& conv_filter_strides,
                        const std::array<long_index_t, NDimSpatial>& conv_filter_dilations,
                        const std::array<long_index_t, NDimSpatial>& input_left_pads,
                        const std::array<long_index_t, NDimSpatial>& input_right_pads,
                        const AElementwiseOperation& a_element_op,
                        const BElementwiseOperation& b_element_op,
                        const CDEElementwiseOperation& cde_element_op,
                        index_t split_k = 1)
    {
        return MakeArgumentPointer(p_a,
                                   p_b,
                                   p_ds,
                                   p_e,
                                   narrowed(a_g_n_k_wos_lengths),
                                   narrowed(a_g_n_k_wos_strides),
                                   narrowed(b_g_k_c_xs_lengths),
                                   narrowed(b_g_k_c_xs_strides),
                                   narrowed(ds_g_n_c_wis_lengths),
                                   narrowed(ds_g_n_c_wis_strides),
                                   narrowed(e_g_n_c_wis_lengths),
                                   narrowed(e_g_n_c_wis_strides),
                                   narrowed(conv_filter_strides),
                                   narrowed(conv_filter_dilations),
                                   narrowed(input_left_pads),
                                   narrowed(input_right_pads),
                                   a_element_op,
                                   b_element_op,
                                   cde_element_op,
                                   split_k);
    }

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
