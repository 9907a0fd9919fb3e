#pragma once
// Forward of a convolution without groups that adds a bias, and optionally a residual, when it
// stores its result: an implicit GEMM with one or two D tensors.
#include "ck/tensor_operation/gpu/conv/operation/convnd_operation.hpp"
#include "ck/tensor_operation/gpu/device/convolution_forward_specialization.hpp"

namespace ck::tensor_operation::device {

/// See ConvDeviceOperation. ConvOp has one D tensor, the bias of K elements, or two; the second has
/// Y's lengths and strides.
template <class Interface,
          class ConvOp,
          ConvolutionForwardSpecialization specialization,
          class Names,
          index_t rank>
struct ConvNdFwdBiasOperation
    : public ConvNdOperation<Interface, ConvOp, specialization, Names, rank>
{
    using Base = ConvNdOperation<Interface, ConvOp, specialization, Names, rank>;
    using typename Base::Argument;

    /// From N on, the parameters are those of ConvNdOperation.
    template <class... Rest>
    static Argument make(const void* in,
                         const void* wei,
                         void* out,
                         const void* bias,
                         index_t n,
                         const Rest&... rest)
    {
        Argument a = Base::make(in, wei, out, n, rest...);
        a.d[0]     = {bias, {0, 0, 1, 0, 0, 0}};
        return a;
    }
    template <class... Rest>
    static Argument make(const void* in,
                         const void* wei,
                         void* out,
                         const void* bias,
                         const void* residual,
                         index_t n,
                         const Rest&... rest)
    {
        Argument a = make(in, wei, out, bias, n, rest...);
        a.d[1]     = {residual, a.problem.output_strides};
        return a;
    }
};

namespace detail {

struct ConvNdFwdBiasNames
{
    static constexpr const OperationNames& value = packed_forward_bias_names;
};

/// Ds: element types of the D tensors. A class, because g++ 12 crashes on an alias whose tuning is
/// the result of a function.
template <class Interface,
          index_t rank,
          class In,
          class Wei,
          class Out,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          class Ds,
          GemmTuning tuning,
          ConvolutionForwardSpecialization specialization>
struct ConvNdFwdBias
    : public MakesArguments<
          ConvNdFwdBiasOperation<
              Interface,
              ConvOperation<ForwardDirection,
                            ConvTypes<In, Wei, Out, InOperation, WeiOperation, OutOperation, Ds>,
                            tuning>,
              specialization,
              ConvNdFwdBiasNames,
              rank>,
          parameters_of<decltype(&Interface::MakeArgumentPointer)>>
{};

} // namespace detail

} // namespace ck::tensor_operation::device
