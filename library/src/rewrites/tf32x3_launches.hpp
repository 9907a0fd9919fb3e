#pragma once
// The launches around a convolution of floats that are split into three parts.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// How an operand is copied: contiguous, three times as long in one dimension.
struct SplitCopy
{
    TensorLengths lengths;        ///< lengths of the operand
    TensorStrides original, copy; ///< elements
    std::size_t dimension;        ///< the dimension that has the parts
    int low_part;                 ///< 1 or 2: the part that has the low halves

    /// Elements of the copy.
    long_index_t count() const
    {
        return math::saturating_product(element_count(lengths), long_index_t{3});
    }
    /// Elements of the copy from one part to the next.
    long_index_t part() const { return copy[dimension] * lengths[dimension]; }
};

/// Adds the launch that splits an operand, device memory.
void split_floats(const SplitCopy& how, const void* from, void* to, LaunchList& list);

/// Adds the launch that recomputes the non-finite values of a result. x, w, y: device memory of the
/// problem, the direction's result among them.
void replace_not_finite(Direction direction,
                        const ConvProblem& problem,
                        const void* x,
                        const void* w,
                        const void* y,
                        LaunchList& list);

} // namespace ck::tensor_operation::device::instance
