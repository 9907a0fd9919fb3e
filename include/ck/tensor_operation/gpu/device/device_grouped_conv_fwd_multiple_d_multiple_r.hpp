#pragma once
// Interface: forward grouped convolution whose result is also reduced over its channels.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/tuple.hpp"

#include <array>
#include <memory>

namespace ck::tensor_operation::device {

/// E[g,n,k,wos] = cde_op(sum over c,xs of a_op(A[g,n,c,wis]) * b_op(B[g,k,c,xs]), Ds[g,n,k,wos]...)
/// R_i[g,n,wos] = rs_op_i(reduction_i over k of qs_op_i(E[g,n,k,wos]))
///
/// Lengths and strides, in elements, are in the order of the tensors' indices above, whatever the
/// layout tags. Each R tensor has the lengths r_g_n_wos_lengths and a pointer and the strides
/// r_g_n_wos_strides.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DELayout,
          typename RLayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename RsDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          typename QsElementwiseOperation,
          typename RsElementwiseOperation>
struct DeviceGroupedConvFwdMultipleDMultipleR : public BaseOperator
{
    /// Number of D tensors that cde_op reads.
    static constexpr index_t NumDTensor = DsDataType::Size();
    /// Number of reduced tensors.
    static constexpr index_t NumRTensor = RsDataType::Size();

    /// p_a: X. p_b: W. p_e: Y, written. p_rs: the reduced tensors, written. All are device
    /// pointers. Lengths and strides, in elements, are in the order in their names: a G N C, b G K
    /// C, ds and e G N K, r G N, then the spatial ones, slowest first; strides, dilations and pads
    /// have NDimSpatial entries, [D] H W. Pads may be negative (crops).
    virtual std::unique_ptr<BaseArgument> MakeArgumentPointer(
        const void* p_a,
        const void* p_b,
        const std::array<const void*, NumDTensor>& p_ds,
        void* p_e,
        std::array<void*, NumRTensor> p_rs,
        const std::array<index_t, NDimSpatial + 3>& a_g_n_c_wis_lengths,
        const std::array<index_t, NDimSpatial + 3>& a_g_n_c_wis_strides,
        const std::array<index_t, NDimSpatial + 3>& b_g_k_c_xs_lengths,
        const std::array<index_t, NDimSpatial + 3>& b_g_k_c_xs_strides,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_n_k_wos_lengths,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_n_k_wos_strides,
        const std::array<index_t, NDimSpatial + 3>& e_g_n_k_wos_lengths,
        const std::array<index_t, NDimSpatial + 3>& e_g_n_k_wos_strides,
        const std::array<index_t, NDimSpatial + 2>& r_g_n_wos_lengths,
        const std::array<index_t, NDimSpatial + 2>& r_g_n_wos_strides,
        const std::array<index_t, NDimSpatial>& conv_filter_strides,
        const std::array<index_t, NDimSpatial>& conv_filter_dilations,
        const std::array<index_t, NDimSpatial>& input_left_pads,
        const std::array<index_t, NDimSpatial>& input_right_pads,
        const AElementwiseOperation& a_element_op,
        const BElementwiseOperation& b_element_op,
        const CDEElementwiseOperation& cde_element_op,
        const QsElementwiseOperation& qs_element_op,
        const RsElementwiseOperation& rs_element_op) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
