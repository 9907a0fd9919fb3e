#pragma once
// What forward and backward data of convolutions without groups share: arguments made from lists of
// lengths of packed channels-last tensors.
#include "ck/tensor_operation/gpu/conv/argument/listed_problem.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_device_operation.hpp"

#include <vector>

namespace ck::tensor_operation::device {

/// See ConvDeviceOperation.
template <class Interface, class ConvOp, auto specialization, class Names, index_t rank>
struct ConvNdOperation : public ConvDeviceOperation<Interface, ConvOp, specialization, Names>
{
    static_assert(1 <= rank && rank <= 3, "convolutions have 1 to 3 spatial dimensions");

    using typename ConvDeviceOperation<Interface, ConvOp, specialization, Names>::Argument;

    /// Stores even an invalid problem; supports() refuses it.
    template <class In, class Out, class InOperation, class OutOperation>
    static Argument make(In* in,
                         const void* wei,
                         Out* out,
                         index_t n,
                         index_t k,
                         index_t c,
                         const std::vector<index_t>& input_lengths,
                         const std::vector<index_t>& filter_lengths,
                         const std::vector<index_t>& output_lengths,
                         const std::vector<index_t>& strides,
                         const std::vector<index_t>& dilations,
                         const std::vector<index_t>& left_pads,
                         const std::vector<index_t>& right_pads,
                         const InOperation& in_operation,
                         const typename ConvOp::OperationB& wei_operation,
                         const OutOperation& out_operation)
    {
        Argument a{};
        const auto set = [&](const void* a_pointer,
                             void* c_pointer,
                             const auto& a_operation,
                             const auto& c_operation) {
            a.a           = static_cast<const typename ConvOp::A*>(a_pointer);
            a.b           = static_cast<const typename ConvOp::B*>(wei);
            a.c           = static_cast<typename ConvOp::C*>(c_pointer);
            a.operation_a = a_operation;
            a.operation_b = wei_operation;
            a.operation_c = c_operation;
        };
        if constexpr(ConvOp::Direction::a == Role::input)
            set(in, out, in_operation, out_operation);
        else
            set(out, in, out_operation, in_operation);

        const GroupedProblem made = make_listed_problem(rank,
                                                        {n,
                                                         k,
                                                         c,
                                                         {&input_lengths,
                                                          &filter_lengths,
                                                          &output_lengths,
                                                          &strides,
                                                          &dilations,
                                                          &left_pads,
                                                          &right_pads}});
        a.problem                 = made.problem;
        a.valid                   = made.valid;
        see_patches<specialization, false>(a, ConvOp::Direction::c == Role::input);
        return a;
    }
};

} // namespace ck::tensor_operation::device
