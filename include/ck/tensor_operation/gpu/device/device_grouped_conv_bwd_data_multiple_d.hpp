#pragma once
// Backward data of a grouped convolution, fused with element-wise operations and D tensors.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// E[g,n,c,hi,wi] = cde_op(sum over k,y,x of a_op(A)[g,n,k,ho,wo] * b_op(B)[g,k,c,y,x], D...),
/// hi = ho*stride + y*dilation - left_pad; A is dY, B is W, E is dX, every element of which is
/// written. Lengths and strides in the order G,N,K,[D]HW / G,K,C,[Z]YX / G,N,C,[D]HW whatever the
/// layout tags say; strides in elements.
/// Inf, NaN and padding: docs/inf_and_nan.md.
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
    /// D tensors that cde_op reads.
    static constexpr index_t NumDTensor = DsDataType::Size();
    static_assert(NumDTensor == DsLayout::Size(), "one layout for each D tensor");

    /// p_a: dY. p_b: W. p_e: dX, written. Addresses are device memory. Lengths and strides, in
    /// elements, are in the order that the names say: a G N K, b G K C, e G N C, then the spatial
    /// ones, slowest first; strides, dilations and pads have NDimSpatial entries, [D] H W. Pads may
    /// be negative (crops).
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
        const CDEElementwiseOperation& cde_element_op) = 0;

    /// Makes the invoker, whose Run launches the arguments of this operation.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
