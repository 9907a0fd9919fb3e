#pragma once
// Implements DeviceGroupedConvFwdMultipleABD and DeviceGroupedConvBwdDataMultipleD.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"
#include "ck/library/tensor_operation_instance/layouts.hpp"
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/argument/split_k.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_data_multiple_d.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"

#include <utility>

namespace ck::tensor_operation::device::instance {

/// See ConvInstance. Family: a ConvFamily. A and E are named as in the direction.
template <class Interface, class Family>
struct GroupedInstance : public ConvInstance<Interface>
{
    using ConvInstance<Interface>::ConvInstance;

protected:
    /// As, Bs: a pointer, or an array of pointers. Tensor: an array of rank + 3 values; Dims: of
    /// rank values. split_k: for backward data, see check_split_k().
    template <class As, class Bs, class Ds, class Tensor, class Tensors, class Dims>
    static std::unique_ptr<BaseArgument> make(const As& as,
                                              const Bs& bs,
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
                                              const typename Family::OperationA& operation_a,
                                              const typename Family::OperationB& operation_b,
                                              const typename Family::OperationC& operation_c,
                                              index_t split_k = 1)
    {
        using Argument = OwningArgument<Interface,
                                        typename Family::OperationA,
                                        typename Family::OperationB,
                                        typename Family::OperationC>;
        auto r         = std::make_unique<Argument>(operation_a, operation_b, operation_c);

        constexpr bool forward = Family::direction == Direction::forward;
        GroupedProblem made    = make_grouped_problem(forward ? a_lengths : e_lengths,
                                                   forward ? a_strides : e_strides,
                                                   b_lengths,
                                                   b_strides,
                                                   forward ? e_lengths : a_lengths,
                                                   forward ? e_strides : a_strides,
                                                   strides,
                                                   dilations,
                                                   left_pads,
                                                   right_pads);
        r->conv.problem = made.problem;
        r->conv.valid   = made.valid ? check_split_k(split_k) : std::move(made.valid);
        r->conv.a       = pointers(as);
        r->conv.b       = pointers(bs);
        r->conv.c       = e;
        r->conv.d.resize(ds.size());
        set_d_tensors(r->conv, ds, ds_lengths, ds_strides, e_lengths);
        return r;
    }

private:
    static std::vector<const void*> pointers(const void* p) { return {p}; }
    template <std::size_t n>
    static std::vector<const void*> pointers(const std::array<const void*, n>& p)
    {
        return std::vector<const void*>(p.begin(), p.end()); // braces would make two elements
    }
};

/// Implements DeviceGroupedConvFwdMultipleABD.
template <class Interface,
          index_t rank,
          class ALayout,
          class BLayout,
          class DsLayout,
          class ELayout,
          class A,
          class B,
          class Ds,
          class E,
          class... OperationsAndComputeTypes>
struct InstanceOf<Interface,
                  DeviceGroupedConvFwdMultipleABD<rank,
                                                  ALayout,
                                                  BLayout,
                                                  DsLayout,
                                                  ELayout,
                                                  A,
                                                  B,
                                                  Ds,
                                                  E,
                                                  OperationsAndComputeTypes...>>
    : public GroupedKind<GroupedInstance,
                         Interface,
                         ConvFamily<Direction::forward, A, B, E, Ds, OperationsAndComputeTypes...>,
                         grouped_forward_names,
                         serves_grouped<rank, ALayout, BLayout, ELayout>()>
{};

/// Implements DeviceGroupedConvBwdDataMultipleD.
template <class Interface,
          index_t rank,
          class ALayout,
          class BLayout,
          class DsLayout,
          class ELayout,
          class A,
          class B,
          class Ds,
          class E,
          class... OperationsAndComputeTypes>
struct InstanceOf<Interface,
                  DeviceGroupedConvBwdDataMultipleD<rank,
                                                    ALayout,
                                                    BLayout,
                                                    DsLayout,
                                                    ELayout,
                                                    A,
                                                    B,
                                                    Ds,
                                                    E,
                                                    OperationsAndComputeTypes...>>
    : public GroupedKind<
          GroupedInstance,
          Interface,
          ConvFamily<Direction::backward_data, A, B, E, Ds, OperationsAndComputeTypes...>,
          grouped_backward_data_names,
          serves_grouped<rank, ELayout, BLayout, ALayout>()>
{};

} // namespace ck::tensor_operation::device::instance
