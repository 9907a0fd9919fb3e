#pragma once
// What the two interfaces of backward weight, with and without D tensors, share.
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_device_operation.hpp"
#include "ck/tensor_operation/gpu/device/convolution_backward_weight_specialization.hpp"

#include <string_view>

namespace ck::tensor_operation::device {

/// Whether the problem satisfies the operation's specialisation.
inline Support check_specialization(ConvolutionBackwardWeightSpecialization s, const ConvProblem& p)
{
    switch(s)
    {
    case ConvolutionBackwardWeightSpecialization::Default:
    case ConvolutionBackwardWeightSpecialization::OddC:
        return {};
    case ConvolutionBackwardWeightSpecialization::Filter1x1Stride1Pad0:
        return detail::check_1x1_stride1_pad0(p);
    case ConvolutionBackwardWeightSpecialization::Filter1x1Pad0:
        return check_specialization(ConvolutionForwardSpecialization::Filter1x1Pad0, p);
    case ConvolutionBackwardWeightSpecialization::Filter3x3:
        return check_specialization(ConvolutionForwardSpecialization::Filter3x3, p);
    }
    return {};
}
inline std::string specialization_name(ConvolutionBackwardWeightSpecialization s)
{
    return getConvBackwardWeightSpecializationString(s);
}

/// Implements all of Interface except MakeArgumentPointer. WeightOp: a BackwardWeightOperation.
/// Names::value: the operation's names in its type string.
template <class Interface,
          class WeightOp,
          ConvolutionBackwardWeightSpecialization specialization,
          class Names>
struct BackwardWeightAdapter
    : public ConvDeviceOperation<Interface, WeightOp, specialization, Names>
{
    using Operation = WeightOp;
    /// plan.split holds the number of parts that split_k led to. Without the workspace of
    /// GetWorkSpaceSize the sum has one part if possible, and a message goes to stderr.
    using Argument =
        typename ConvDeviceOperation<Interface, WeightOp, specialization, Names>::Argument;

    /// Makes an argument from the interface's parameters.
    template <class Ds, class Tensor, class Tensors, class Dims>
    static Argument make(const void* in,
                         void* wei,
                         const void* out,
                         const Ds& ds,
                         const Tensor& in_lengths,
                         const Tensor& in_strides,
                         const Tensor& wei_lengths,
                         const Tensor& wei_strides,
                         const Tensor& out_lengths,
                         const Tensor& out_strides,
                         const Tensors& ds_lengths,
                         const Tensors& ds_strides,
                         const Dims& strides,
                         const Dims& dilations,
                         const Dims& left_pads,
                         const Dims& right_pads,
                         const typename Operation::OperationB& in_operation,
                         const typename Operation::OperationC& wei_operation,
                         const typename Operation::OperationA& out_operation,
                         index_t split_k)
    {
        const GroupedProblem made = make_grouped_problem(in_lengths,
                                                         in_strides,
                                                         wei_lengths,
                                                         wei_strides,
                                                         out_lengths,
                                                         out_strides,
                                                         strides,
                                                         dilations,
                                                         left_pads,
                                                         right_pads);
        Argument r{};
        r.problem     = made.problem;
        r.valid       = made.valid;
        r.a           = static_cast<const typename Operation::A*>(out);
        r.b           = static_cast<const typename Operation::B*>(in);
        r.c           = static_cast<typename Operation::C*>(wei);
        r.operation_a = out_operation;
        r.operation_b = in_operation;
        r.operation_c = wei_operation;
        r.split_k     = split_k;
        set_d_tensors(r, ds, ds_lengths, ds_strides, wei_lengths);
        see_patches<specialization, Operation::d_count != 0>(r, false);
        Operation::make_plan(r);
        return r;
    }

    /// The same without D tensors. rest: the parameters from the strides on.
    template <class Tensor, class... Rest>
    static Argument make(const void* in,
                         void* wei,
                         const void* out,
                         const Tensor& in_lengths,
                         const Tensor& in_strides,
                         const Tensor& wei_lengths,
                         const Tensor& wei_strides,
                         const Tensor& out_lengths,
                         const Tensor& out_strides,
                         const Rest&... rest)
    {
        const std::array<const void*, 0> ds{};
        const std::array<Tensor, 0> none{};
        return make(in,
                    wei,
                    out,
                    ds,
                    in_lengths,
                    in_strides,
                    wei_lengths,
                    wei_strides,
                    out_lengths,
                    out_strides,
                    none,
                    none,
                    rest...);
    }
};

namespace detail {

/// Whether the tags' tensors have contiguous pixels: the tags' names end in W.
template <class... Layouts>
inline constexpr bool pixels_last = (std::string_view(Layouts::name).ends_with('W') && ...);

/// Kernels that load single elements run along the dimension that the tags say is contiguous.
template <class InLayout, class OutLayout, GemmTuning tuning>
using BackwardWeightDirectionOf =
    std::conditional_t<pixels_last<InLayout, OutLayout> && tuning.a_vector == 1 &&
                           tuning.b_vector == 1,
                       BackwardWeightByPixelsDirection,
                       BackwardWeightDirection>;

struct GroupedConvBwdWeightNames
{
    static constexpr const OperationNames& value = grouped_backward_weight_names;
};
struct GroupedConvBwdWeightMultipleDNames
{
    static constexpr const OperationNames& value = grouped_backward_weight_multiple_d_names;
};

template <class Interface,
          class WeightOp,
          ConvolutionBackwardWeightSpecialization specialization,
          class Names>
using GroupedConvBwdWeight =
    MakesArguments<BackwardWeightAdapter<Interface, WeightOp, specialization, Names>,
                   grouped_parameters<Interface, index_t>,
                   grouped_parameters<Interface, long_index_t>>;

} // namespace detail

} // namespace ck::tensor_operation::device
