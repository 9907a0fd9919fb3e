#pragma once
// What forward and backward data of convolutions without groups share: their arguments, from lists
// of lengths of packed channel-last tensors.
#include "ck/tensor_operation/gpu/conv/operation/conv_device_operation.hpp"

#include <utility>
#include <vector>

namespace ck::tensor_operation::device {

/// See ConvDeviceOperation.
template <class Interface, class ConvOp, auto specialization, class Names, index_t rank>
struct ConvNdOperation : public ConvDeviceOperation<Interface, ConvOp, specialization, Names>
{
    static_assert(1 <= rank && rank <= 3, "convolutions have 1 to 3 spatial dimensions");

    using typename ConvDeviceOperation<Interface, ConvOp, specialization, Names>::Argument;

    /// A problem that makes no sense is kept and refused by
    /// supports().
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

        const std::pair<const char*, const std::vector<index_t>*> lists[] = {
            {"input lengths", &input_lengths},
            {"filter lengths", &filter_lengths},
            {"output lengths", &output_lengths},
            {"strides", &strides},
            {"dilations", &dilations},
            {"left pads", &left_pads},
            {"right pads", &right_pads}};
        for(const auto& [what, list] : lists)
            if(list->size() != static_cast<std::size_t>(rank))
            {
                a.valid =
                    refused("there are " + std::to_string(list->size()) + " " + what + ", but a " +
                            std::to_string(rank) + "D convolution has " + std::to_string(rank));
                return a;
            }

        ConvProblem& p = a.problem;
        p.rank         = rank;
        p.batch        = n;
        p.out_channels = k;
        p.in_channels  = c;
        p.input        = to_spatial(input_lengths, 1);
        p.filter       = to_spatial(filter_lengths, 1);
        p.stride       = to_spatial(strides, 1);
        p.dilation     = to_spatial(dilations, 1);
        p.pad_low      = to_spatial(left_pads, 0);
        p.pad_high     = to_spatial(right_pads, 0);
        a.valid        = validate(p);
        if(!a.valid)
            return a;
        a.valid = crop_output(p, to_spatial(output_lengths, 1));
        set_packed_strides(p);
        return a;
    }
};

} // namespace ck::tensor_operation::device
