#pragma once
// The matrix of a convolution's windows, [(n, do, ho, wo), (z, y, x, c)] for each group. Image to
// column writes it, column to image reads it.
//
// Both use the transforms of a convolution with one output channel. The strides of its Y and W are
// set so that an offset in Y is a matrix row and an offset in W is a matrix column. Forward's views
// then give the element of X for a matrix element; backward data's views give the rows and columns
// that contribute to an element of X.
#include "ck/tensor_operation/operator_transform/backward_data_by_pixel.hpp"
#include "ck/tensor_operation/operator_transform/backward_data_limits.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"
#include "ck/tensor_operation/operator_transform/forward_limits.hpp"

namespace ck {

/// The matrix's columns.
constexpr long_index_t column_count(const ConvProblem& p)
{
    long_index_t n = p.in_channels;
    for(const long_index_t length : p.filter)
        n = math::saturating_product(n, length);
    return n;
}

/// Rows of the matrix of `images` images.
constexpr long_index_t row_count(const ConvProblem& p, long_index_t images)
{
    long_index_t n = images;
    for(const long_index_t length : p.output())
        n = math::saturating_product(n, length);
    return n;
}

/// Sets a problem's strides so that offsets in Y and W are row and column numbers. column_count and
/// row_count of one image must be below 2^31.
constexpr void number_rows_and_columns(ConvProblem& p)
{
    const Spatial out = p.output();
    p.output_strides  = {0, out[0] * out[1] * out[2], 0, out[1] * out[2], out[2], 1};
    p.filter_strides  = {0,
                         0,
                         1,
                         p.filter[1] * p.filter[2] * p.in_channels,
                         p.filter[2] * p.in_channels,
                         p.in_channels};
}

/// X as [row, column] of the matrix; bounds-checked in its three spatial dimensions.
struct ImageOfMatrix
{
    ConvViews views;

    using View = decltype(ConvViews{}.describe_x(0) |
                          Merge<Group<0, 2, 4, 6>, Group<1, 3, 5, 7>>{});

    /// Makes it for sub-batches of `batch` images of a problem that passes check_image_to_column().
    /// The caller adds the 64-bit offsets of group and sub-batch to the pointers.
    static ImageOfMatrix make(const ConvProblem& problem, index_t batch)
    {
        return {ConvViews::make(problem, batch)};
    }

    CK_HOST_DEVICE constexpr index_t phase_count() const { return 1; }
    /// Rows of the matrix in a full sub-batch.
    CK_HOST_DEVICE constexpr index_t max_rows() const
    {
        return views.pixels_of_image * views.batch;
    }
    CK_HOST_DEVICE CK_INLINE constexpr View describe(index_t images) const
    {
        return views.describe_x(images) | Merge<Group<0, 2, 4, 6>, Group<1, 3, 5, 7>>{};
    }
};

namespace detail {

/// Whether the matrix of `batch` images has 32-bit coordinates and `check` accepts the problem. Y
/// and W are not in memory, so their strides are ignored.
template <class Check>
Support check_matrix(ConvProblem p, long_index_t batch, index_t element_bytes, const Check& check)
{
    if(const long_index_t columns = column_count(p); columns > row_limit)
        return refused("the column matrix has " + std::to_string(columns) +
                       " columns, but a launch takes at most 2^30");
    if(const long_index_t rows = row_count(p, batch); rows > row_limit)
        return refused("the column matrix of " + std::to_string(batch) + " images has " +
                       std::to_string(rows) + " rows, but a launch takes at most 2^30");
    p.filter_strides = p.output_strides = {};
    return check(p, batch, ElementBytes{element_bytes, 1, 1});
}

} // namespace detail

/// Whether ImageOfMatrix can describe sub-batches of `batch` images of this valid problem.
/// element_bytes: bytes of an element of X.
inline Support
check_image_to_column(const ConvProblem& p, long_index_t batch, index_t element_bytes)
{
    return detail::check_matrix(p, batch, element_bytes, check_forward);
}

/// Whether BackwardDataByPixel describes column to image of a sub-batch of `batch` images; if not,
/// why.
inline Support
check_column_to_image(const ConvProblem& p, long_index_t batch, index_t element_bytes)
{
    return detail::check_matrix(p, batch, element_bytes, check_backward_data);
}

} // namespace ck
