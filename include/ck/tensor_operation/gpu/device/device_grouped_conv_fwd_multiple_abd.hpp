#pragma once
// Interface: forward grouped convolution, fused with operations on several A, B and D tensors.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

#include <array>
#include <type_traits>

namespace ck::tensor_operation::device {

namespace detail {

template <class T>
concept TupleType = requires
{
    T::IsTuple();
};

template <class T>
struct FirstType
{
    using type = T;
};
template <TupleType T>
struct FirstType<T>
{
    using type = tuple_element_t<0, T>;
};

template <class T>
constexpr index_t tensor_count = [] {
    if constexpr(TupleType<T>)
        return T::Size();
    else
        return index_t{1};
}();

} // namespace detail

/// E[g,n,k,ho,wo] = cde_op(sum over c,y,x of a_op(A...)[g,n,c,hi,wi] * b_op(B...)[g,k,c,y,x],
/// D...), hi = ho*stride + y*dilation - left_pad. A is X, B is W and E is Y. Lengths and strides,
/// in elements, have the order G,N,C,[D]HW / G,K,C,[Z]YX / G,N,K,[D]HW, regardless of the layout
/// tags. If ADataType or BDataType is a Tuple, the operation combines several tensors of equal
/// lengths and strides.
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
          typename AComputeType = typename detail::FirstType<ADataType>::type,
          typename BComputeType = AComputeType>
struct DeviceGroupedConvFwdMultipleABD : public BaseOperator
{
    /// Whether A consists of several tensors.
    static constexpr bool isMultiA = detail::TupleType<ADataType>;
    /// Whether B consists of several tensors.
    static constexpr bool isMultiB = detail::TupleType<BDataType>;
    /// Number of A tensors.
    static constexpr index_t NumATensor = detail::tensor_count<ADataType>;
    /// Number of B tensors.
    static constexpr index_t NumBTensor = detail::tensor_count<BDataType>;
    /// Number of D tensors that cde_op reads.
    static constexpr index_t NumDTensor = DsDataType::Size();
    static_assert(NumDTensor == DsLayout::Size(), "one layout for each D tensor");

    /// The address of A, or an array with one address for each A tensor.
    using APointers =
        std::conditional_t<isMultiA, std::array<const void*, NumATensor>&, const void*>;
    /// The address of B, or an array with one address for each B tensor.
    using BPointers =
        std::conditional_t<isMultiB, std::array<const void*, NumBTensor>&, const void*>;

    /// p_a: X. p_b: W. p_e: Y, written. All are device pointers. Lengths and strides, in elements,
    /// are in the order in their names: a G N C, b G K C, ds and e G N K, then the spatial ones,
    /// slowest first; strides, dilations and pads have NDimSpatial entries, [D] H W. Pads may be
    /// negative (crops).
    virtual std::unique_ptr<BaseArgument> MakeArgumentPointer(
        APointers p_a,
        BPointers p_b,
        const std::array<const void*, NumDTensor>& p_ds,
        void* p_e,
        const std::array<index_t, NDimSpatial + 3>& a_g_n_c_wis_lengths,
        const std::array<index_t, NDimSpatial + 3>& a_g_n_c_wis_strides,
        const std::array<index_t, NDimSpatial + 3>& b_g_k_c_xs_lengths,
        const std::array<index_t, NDimSpatial + 3>& b_g_k_c_xs_strides,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_n_k_wos_lengths,
        const std::array<std::array<index_t, NDimSpatial + 3>, NumDTensor>& ds_g_n_k_wos_strides,
        const std::array<index_t, NDimSpatial + 3>& e_g_n_k_wos_lengths,
        const std::array<index_t, NDimSpatial + 3>& e_g_n_k_wos_strides,
        const std::array<index_t, NDimSpatial>& conv_filter_strides,
        const std::array<index_t, NDimSpatial>& conv_filter_dilations,
        const std::array<index_t, NDimSpatial>& input_left_pads,
        const std::array<index_t, NDimSpatial>& input_right_pads,
        const AElementwiseOperation& a_element_op,
        const BElementwiseOperation& b_element_op,
        const CDEElementwiseOperation& cde_element_op) = 0;

    /// The same with 64-bit sizes.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(APointers p_a,
                        BPointers p_b,
                        const std::array<const void*, NumDTensor>& p_ds,
                        void* p_e,
                        const std::array<long_index_t, NDimSpatial + 3>& a_g_n_c_wis_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& a_g_n_c_wis_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& b_g_k_c_xs_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& b_g_k_c_xs_strides,
                        const std::array<std::array<long_index_t, NDimSpatial + 3>, NumDTensor>&
                            ds_g_n_k_wos_lengths,
                        const std::array<std::array<long_index_t, NDimSpatial + 3>, NumDTensor>&
                            ds_g_n_k_wos_strides,
                        const std::array<long_index_t, NDimSpatial + 3>& e_g_n_k_wos_lengths,
                        const std::array<long_index_t, NDimSpatial + 3>& e_g_n_k_wos_strides,
                        const std::array<long_index_t, NDimSpatial>& conv_filter_strides,
                        const std::array<long_index_t, NDimSpatial>& conv_filter_dilations,
                        const std::array<long_index_t, NDimSpatial>& input_left_pads,
                        const std::array<long_index_t, NDimSpatial>& input_right_pads,
                        const AElementwiseOperation& a_element_op,
                        const BElementwiseOperation& b_element_op,
                        const CDEElementwiseOperation& cde_element_op) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
