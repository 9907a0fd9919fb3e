#pragma once
// Interface: a list of matrix products of different sizes, fused with an element-wise operation.
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"

#include <array>
#include <memory>
#include <vector>

namespace ck::tensor_operation::device {

/// One product of the list. A is M x K, B is K x N, E and the D tensors are M x N; each may be 0.
/// Strides, in elements, are between rows (row-major) or between columns (column-major).
struct GemmDesc
{
    index_t M_;        ///< rows of A and E
    index_t N_;        ///< columns of B and E
    index_t K_;        ///< length of the sum
    index_t stride_A_; ///< in elements
    index_t stride_B_; ///< in elements
    index_t stride_C_; ///< E's, in elements

    /// Strides of the D tensors, in elements.
    std::vector<index_t> stride_Ds_;
};

/// E[m,n] = cde_op(sum over k of a_op(A[m,k]) * b_op(B[k,n]), D0[m,n], D1[m,n] ...) for each GEMM
/// in the list. Layouts are tensor_layout::gemm::RowMajor or ColumnMajor. DsLayout and DsDataType
/// are Tuples.
template <typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation>
struct DeviceGroupedGemm : public BaseOperator
{
    /// Number of D tensors that cde_op reads.
    static constexpr index_t NumDTensor = DsDataType::Size();
    static_assert(NumDTensor == DsLayout::Size(), "one layout for each D tensor");

    /// Each vector has one entry per GEMM. p_ds may be empty if there are no D tensors. The
    /// pointers are device pointers. The vectors are copied.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(std::vector<const void*>& p_a,
                        std::vector<const void*>& p_b,
                        std::vector<std::array<const void*, NumDTensor>>& p_ds,
                        std::vector<void*>& p_e,
                        std::vector<GemmDesc>& gemm_desc,
                        AElementwiseOperation a_element_op,
                        BElementwiseOperation b_element_op,
                        CDEElementwiseOperation cde_element_op) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
