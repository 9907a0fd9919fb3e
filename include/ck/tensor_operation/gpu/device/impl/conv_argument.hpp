#pragma once
// What one launch of a convolution kernel is asked to compute, whatever its direction.
#include "ck/tensor_operation/gpu/device/impl/conv_support.hpp"
#include "ck/tensor_operation/gpu/device/impl/split_plan.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"

#include <array>

namespace ck::tensor_operation::device {

template <class Source, class Compute>
using compute_type =
    std::conditional_t<std::is_same_v<Compute, Source> ||
                           std::is_same_v<Compute, typename thread::OperandSource<Source>::Element>,
                       void,
                       Compute>;

/// grid::GemmTypes from the parameters of operations. A compute type that is the data's own leaves
/// the rounding to the instruction, which the tuning names.
template <class A,
          class B,
          class C,
          class OperationA,
          class OperationB,
          class OperationC,
          class Ds       = Tuple<>,
          class ComputeA = A,
          class ComputeB = B>
using ConvTypes = grid::GemmTypes<A,
                                  B,
                                  C,
                                  OperationA,
                                  OperationB,
                                  OperationC,
                                  Ds,
                                  compute_type<A, ComputeA>,
                                  compute_type<B, ComputeB>>;

/// As kernels read it, with chunks of so many images.
inline grid::DTensor d_tensor(const DArgument& d, index_t chunk_batch)
{
    const TensorStrides& s = d.strides;
    grid::DTensor r{d.pointer, s[0], s[1] * chunk_batch, {}};
    for(std::size_t dim = 0; dim < 5; ++dim) // n d h w channel
        r.stride[dim] = static_cast<index_t>(s[dim == 0 ? 1 : dim == 4 ? 2 : dim + 2]);
    return r;
}

/// What one launch is asked to compute. Types: grid::GemmTypes.
template <class Types>
struct ConvArgument
{
    static constexpr index_t d_count = Types::Ds::Size();

    ConvProblem problem;
    Support valid; // what is wrong with the problem itself
    typename thread::OperandSource<typename Types::A>::Pointer a;
    typename thread::OperandSource<typename Types::B>::Pointer b;
    typename Types::C* c;
    std::array<DArgument, static_cast<std::size_t>(d_count)> d;
    typename Types::OperationA operation_a;
    typename Types::OperationB operation_b;
    typename Types::OperationC operation_c;
    SplitPlan split;        // of the reduction, into parts of the sum
    float* parts = nullptr; // where these are; see grid::Parts and grid::SplitTiles
    void* ahead  = nullptr; // where an operand is that is transposed ahead
};

} // namespace ck::tensor_operation::device
