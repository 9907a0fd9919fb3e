#pragma once
// What forward and backward data of grouped convolutions share: arguments made from arrays of
// lengths and strides.
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/argument/split_k.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_device_operation.hpp"

namespace ck::tensor_operation::device {

/// See ConvDeviceOperation. A and E are the tensors that the direction calls so.
template <class Interface, class ConvOp, auto specialization, class Names>
struct GroupedConvOperation : public ConvDeviceOperation<Interface, ConvOp, specialization, Names>
{
    using typename ConvDeviceOperation<Interface, ConvOp, specialization, Names>::Argument;

    /// Tensor: an array of rank + 3 entries. Dims: of rank entries. As, Bs: a pointer, or an array
    /// if there are several tensors. split_k: of backward data, see check_split_k().
    template <class As, class Bs, class Ds, class Tensor, class Tensors, class Dims>
    static Argument make(const As& a,
                         const Bs& b,
                         const Ds& ds,
                         void* e,
                         const Tensor& a_lengths,
                         const Tensor& a_strides,
                         const Tensor& b_lengths,
                         const Tensor& b_strides,
                         const Tensors& ds_lengths,
                         const Tensors& ds_strides,
                         const Tensor& e_lengths,
                         const Tensor& e_strides,
                         const Dims& strides,
                         const Dims& dilations,
                         const Dims& left_pads,
                         const Dims& right_pads,
                         const typename ConvOp::OperationA& operation_a,
                         const typename ConvOp::OperationB& operation_b,
                         const typename ConvOp::OperationC& operation_c,
                         index_t split_k = 1)
    {
        constexpr bool a_is_input = ConvOp::Direction::a == Role::input;
        const GroupedProblem made = make_grouped_problem(a_is_input ? a_lengths : e_lengths,
                                                         a_is_input ? a_strides : e_strides,
                                                         b_lengths,
                                                         b_strides,
                                                         a_is_input ? e_lengths : a_lengths,
                                                         a_is_input ? e_strides : a_strides,
                                                         strides,
                                                         dilations,
                                                         left_pads,
                                                         right_pads);
        Argument r{};
        r.problem     = made.problem;
        r.valid       = made.valid ? check_split_k(split_k) : made.valid;
        r.a           = ConvOp::SourceA::make_pointer(a);
        r.b           = ConvOp::SourceB::make_pointer(b);
        r.c           = static_cast<typename ConvOp::C*>(e);
        r.operation_a = operation_a;
        r.operation_b = operation_b;
        r.operation_c = operation_c;
        set_d_tensors(r, ds, ds_lengths, ds_strides, e_lengths);
        see_patches<specialization, !a_is_input && ConvOp::d_count != 0>(r, !a_is_input);
        return r;
    }

    /// The same without D tensors. rest: the parameters from e_lengths on.
    template <class Tensor, class... Rest>
    static Argument make(const void* a,
                         const void* b,
                         void* e,
                         const Tensor& a_lengths,
                         const Tensor& a_strides,
                         const Tensor& b_lengths,
                         const Tensor& b_strides,
                         const Rest&... rest)
    {
        const std::array<const void*, 0> ds{};
        const std::array<Tensor, 0> none{};
        return make(a, b, ds, e, a_lengths, a_strides, b_lengths, b_strides, none, none, rest...);
    }
};

} // namespace ck::tensor_operation::device
