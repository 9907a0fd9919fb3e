#pragma once
// Implements DeviceConvFwd and DeviceConvBwdData: contiguous channels-last tensors without
// groups.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"
#include "ck/library/tensor_operation_instance/layouts.hpp"
#include "ck/tensor_operation/gpu/conv/argument/listed_problem.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_fwd.hpp"

#include <vector>

namespace ck::tensor_operation::device::instance {

/// See ConvInstance. Family: a ConvFamily.
template <class Interface, class Family, index_t rank>
struct PackedInstance : public ConvInstance<Interface>
{
    using ConvInstance<Interface>::ConvInstance;

protected:
    /// Sizes of each spatial dimension, [D] H W.
    using List = std::vector<index_t>;

    /// Makes an argument from MakeArgumentPointer's parameters.
    template <class In, class Out, class InOperation, class WeiOperation, class OutOperation>
    static std::unique_ptr<BaseArgument> make(In* in,
                                              const void* wei,
                                              Out* out,
                                              index_t n,
                                              index_t k,
                                              index_t c,
                                              const List& input_lengths,
                                              const List& filter_lengths,
                                              const List& output_lengths,
                                              const List& strides,
                                              const List& dilations,
                                              const List& left_pads,
                                              const List& right_pads,
                                              const InOperation& in_operation,
                                              const WeiOperation& wei_operation,
                                              const OutOperation& out_operation)
    {
        const auto made =
            [&](const void* a, void* e, const auto& operation_a, const auto& operation_c) {
                auto r = std::make_unique<OwningArgument<Interface,
                                                         typename Family::OperationA,
                                                         typename Family::OperationB,
                                                         typename Family::OperationC>>(
                    operation_a, wei_operation, operation_c);
                r->conv.a                         = {a};
                r->conv.b                         = {wei};
                r->conv.c                         = e;
                const GroupedProblem made_problem = make_listed_problem(rank,
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
                r->conv.problem                   = made_problem.problem;
                r->conv.valid                     = made_problem.valid;
                return r;
            };
        if constexpr(Family::direction == Direction::forward)
            return made(in, out, in_operation, out_operation);
        else
            return made(out, in, out_operation, in_operation);
    }
};

/// The kind of an operation on packed tensors.
template <class Interface, class Family, index_t rank, const OperationNames& names, bool served>
using PackedKind =
    InstanceKind<MakesArgumentPointers<PackedInstance<Interface, Family, rank>,
                                       parameters_of<decltype(&Interface::MakeArgumentPointer)>>,
                 Family,
                 names,
                 served>;

/// Implements DeviceConvFwd.
template <class Interface,
          index_t rank,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class In,
          class Wei,
          class Out,
          class InOperation,
          class WeiOperation,
          class OutOperation>
struct InstanceOf<Interface,
                  DeviceConvFwd<rank,
                                InLayout,
                                WeiLayout,
                                OutLayout,
                                In,
                                Wei,
                                Out,
                                InOperation,
                                WeiOperation,
                                OutOperation>>
    : public PackedKind<Interface,
                        ConvFamily<Direction::forward,
                                   In,
                                   Wei,
                                   Out,
                                   Tuple<>,
                                   InOperation,
                                   WeiOperation,
                                   OutOperation>,
                        rank,
                        packed_forward_names,
                        serves_packed<rank, InLayout, WeiLayout, OutLayout>()>
{};

/// Implements DeviceConvBwdData.
template <class Interface,
          index_t rank,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class In,
          class Wei,
          class Out,
          class InOperation,
          class WeiOperation,
          class OutOperation>
struct InstanceOf<Interface,
                  DeviceConvBwdData<rank,
                                    InLayout,
                                    WeiLayout,
                                    OutLayout,
                                    In,
                                    Wei,
                                    Out,
                                    InOperation,
                                    WeiOperation,
                                    OutOperation>>
    : public PackedKind<Interface,
                        ConvFamily<Direction::backward_data,
                                   Out,
                                   Wei,
                                   In,
                                   Tuple<>,
                                   OutOperation,
                                   WeiOperation,
                                   InOperation>,
                        rank,
                        packed_backward_data_names,
                        serves_packed<rank, InLayout, WeiLayout, OutLayout>()>
{};

} // namespace ck::tensor_operation::device::instance
