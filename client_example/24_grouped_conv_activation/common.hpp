#pragma once
// What the clients in this folder share: the operation on the result reads a residual that is in
// the memory of the result itself.
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/grouped_problem.hpp"
#include <tuple>

/// The D tensors of an operation: `count` tensors, each of which is the result.
template <std::size_t count>
struct Residuals
{
    std::array<const void*, count> pointers;
    std::array<Array<6>, count> lengths, strides;

    template <class Packed>
    Residuals(const void* result, const Packed& tensor)
    {
        pointers.fill(result);
        lengths.fill(tensor.lengths);
        strides.fill(tensor.strides);
    }
};

/// The expected result of the operation on a sum, in fp16, with `count` residuals.
template <std::size_t count, class Operation>
void apply_with_residuals(Tensor<double>& sums,
                          const Operation& operation,
                          const Tensor<ck::half_t>& residual)
{
    apply_operation<ck::half_t, float>(sums, operation, [&]([[maybe_unused]] std::size_t i) {
        if constexpr(count == 0)
            return std::tuple<>();
        else
            return std::tuple(residual.mData[i]);
    });
}
