#pragma once
// A launch that writes zeros to every element of a tensor.
#include "ck/convolution/problem.hpp"
#include "ck/convolution/support.hpp"

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// A tensor with elements of 1, 2, 4 or 8 bytes, and any strides.
struct FilledTensor
{
    TensorLengths lengths;
    TensorStrides strides; ///< in elements
    index_t element_bytes;
};

/// Whether fill_zeros() can write it; if not, why.
Support check_fill(const FilledTensor& tensor, const void* address);
/// Adds the launch.
void fill_zeros(const FilledTensor& tensor, void* address, LaunchList& list);
/// Returns the clock cycles of fill_zeros().
double predicted_fill(const FilledTensor& tensor);

} // namespace ck::tensor_operation::device::instance
