#pragma once
// A matrix of patches of an image: where elements are, and the launches that copy one into the
// other.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_im2col.hpp"

#include <cstddef>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// A row for each pixel of Y, and a column for each element of a filter, in the order of W in
/// memory; then zeros up to the pitch.
struct Im2colCopy
{
    grid::Im2colMatrix shape; ///< in elements
    long_index_t rows;
    long_index_t pitch;    ///< elements in a row, a multiple of 16 bytes
    index_t element_bytes; ///< 2 or 4

    /// Returns the copy of X's windows, or of W, which has a row for each filter. The problem must
    /// have one group, no padding and no dilation, and filters as wide as their stride.
    static Im2colCopy of_windows(const ConvProblem& problem, index_t element_bytes);
    /// pitch: the least, in elements.
    static Im2colCopy
    of_filters(const ConvProblem& problem, index_t element_bytes, long_index_t pitch = 0);

    std::size_t bytes() const { return static_cast<std::size_t>(rows * pitch * element_bytes); }
};

/// Whether a problem's filters already are such rows, so that no copy is needed.
bool filters_are_rows(const ConvProblem& problem, index_t element_bytes);

/// The widest unit, in elements, that is contiguous both in the tensor at this address and in the
/// matrix: the unit that a launch moves.
index_t unit_of(const Im2colCopy& c, const void* tensor);

/// Adds the launch that copies the tensor to the matrix.
void copy_to_rows(const Im2colCopy& c, const void* tensor, void* matrix, LaunchList& list);
/// Adds the launch that writes the tensor from the matrix.
void copy_from_rows(const Im2colCopy& c, const void* matrix, void* tensor, LaunchList& list);

/// Predicted clock cycles of either launch.
double predicted_copy(const Im2colCopy& c, bool to_rows);

} // namespace ck::tensor_operation::device::instance
