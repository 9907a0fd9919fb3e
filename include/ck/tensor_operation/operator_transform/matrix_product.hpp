#pragma once
// C[m,n] = sum over k of A[m,k] * B[k,n] for matrices with any leading dimension, in the form of a
// convolution with one tap.
#include "ck/tensor_description/transforms.hpp"

namespace ck {

namespace detail {

/// A or B as [row or column of C, 0, k]. line: its leading dimension. along_k: k is contiguous.
template <bool along_k>
CK_HOST_DEVICE CK_INLINE constexpr auto
describe_operand(index_t length, index_t reduction, index_t line)
{
    return strided({undivided(length), undivided(1), undivided(reduction)},
                   {along_k ? line : 1, 0, along_k ? 1 : line});
}

/// C as [row, column], with the five dimensions that D tensors have
CK_HOST_DEVICE CK_INLINE constexpr auto describe_result(index_t rows, index_t columns, index_t line)
{
    return strided({undivided(rows), undivided(1), undivided(1), undivided(1), undivided(columns)},
                   {line, 0, 0, 0, 1}) |
           merge(Group<0, 1, 2, 3>{}, Group<4>{});
}

} // namespace detail

/// a_along_k: A is row-major, otherwise column-major. b_along_k: B is column-major, otherwise
/// row-major. C is row-major.
///
/// Rows take the place of a convolution's images in a sub-batch: the caller adds the 64-bit
/// offset of a sub-batch's first row.
template <bool a_along_k_, bool b_along_k_>
struct MatrixProduct
{
    static constexpr bool a_along_k = a_along_k_;
    static constexpr bool b_along_k = b_along_k_;

    index_t rows; // rows of a full sub-batch
    index_t columns, reduction;
    index_t a_line, b_line, c_line; // leading dimensions

    struct Phase
    {
        using A = decltype(detail::describe_operand<a_along_k_>(0, 0, 0));
        using B = decltype(detail::describe_operand<b_along_k_>(0, 0, 0));
        using C = decltype(detail::describe_result(0, 0, 0));

        A a;
        B b;
        C c;
        index_t tap_count;
    };

    CK_HOST_DEVICE constexpr index_t phase_count() const { return 1; }
    CK_HOST_DEVICE constexpr index_t max_rows() const { return rows; }

    /// Phase 0, for a sub-batch of `row_count` rows.
    CK_HOST_DEVICE CK_INLINE constexpr Phase make_phase(index_t, index_t row_count) const
    {
        return {detail::describe_operand<a_along_k_>(row_count, reduction, a_line),
                detail::describe_operand<b_along_k_>(columns, reduction, b_line),
                detail::describe_result(row_count, columns, c_line),
                1};
    }
};

} // namespace ck
