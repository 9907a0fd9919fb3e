#pragma once
// A matrix of patches and the image that it is of: where elements are, and the launches that copy
// one into the other.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_patch_matrix.hpp"

#include <cstddef>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// A row for each pixel of Y, a column for each element of a filter, in the order that W has them
/// in memory; then zeros up to the pitch.
struct PatchCopy
{
    grid::PatchMatrix shape; ///< in elements
    long_index_t rows;
    long_index_t pitch;    ///< elements of a row, a multiple of 16 bytes
    index_t element_bytes; ///< 2 or 4

    /// Returns the copy of X's windows, or of W, which has a row for each filter. The problem has
    /// one group, no padding and no dilation, and filters as wide as their stride.
    static PatchCopy of_windows(const ConvProblem& problem, index_t element_bytes);
    static PatchCopy of_filters(const ConvProblem& problem, index_t element_bytes);

    std::size_t bytes() const { return static_cast<std::size_t>(rows * pitch * element_bytes); }
};

/// Whether a problem's filters are such rows already, which no copy is made of.
bool filters_are_rows(const ConvProblem& problem, index_t element_bytes);

/// The widest unit, in elements, that neighbours in the tensor at this address and in the matrix
/// fill: what a launch moves at a time.
index_t unit_of(const PatchCopy& c, const void* tensor);

/// Adds the launch that copies the tensor to the matrix.
void copy_to_rows(const PatchCopy& c, const void* tensor, void* matrix, LaunchList& list);
/// Adds the launch that writes the tensor from the matrix.
void copy_from_rows(const PatchCopy& c, const void* matrix, void* tensor, LaunchList& list);

/// How long either takes, in clock cycles.
double predicted_copy(const PatchCopy& c, bool to_rows);

} // namespace ck::tensor_operation::device::instance
