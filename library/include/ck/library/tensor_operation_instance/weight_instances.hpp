#pragma once
// Implements DeviceGroupedConvBwdWeight and DeviceGroupedConvBwdWeightMultipleD.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"
#include "ck/library/tensor_operation_instance/layouts.hpp"
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_weight_multiple_d.hpp"

#include <utility>

namespace ck::tensor_operation::device::instance {

/// See ConvInstance. Family: a ConvFamily.
template <class Interface, class Family>
struct WeightInstance : public ConvInstance<Interface>
{
    using ConvInstance<Interface>::ConvInstance;

protected:
    /// Tensor: an array of rank + 3 values; Dims: of rank values.
    template <class Ds, class Tensor, class Tensors, class Dims>
    static std::unique_ptr<BaseArgument> make(const void* in,
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
                                              const typename Family::OperationB& in_operation,
                                              const typename Family::OperationC& wei_operation,
                                              const typename Family::OperationA& out_operation,
                                              index_t split_k)
    {
        using Argument = OwningArgument<Interface,
                                        typename Family::OperationA,
                                        typename Family::OperationB,
                                        typename Family::OperationC>;
        auto r         = std::make_unique<Argument>(out_operation, in_operation, wei_operation);
        GroupedProblem made = make_grouped_problem(in_lengths,
                                                   in_strides,
                                                   wei_lengths,
                                                   wei_strides,
                                                   out_lengths,
                                                   out_strides,
                                                   strides,
                                                   dilations,
                                                   left_pads,
                                                   right_pads);
        r->conv.problem     = made.problem;
        r->conv.valid       = std::move(made.valid);
        r->conv.a           = {out};
        r->conv.b           = {in};
        r->conv.c           = wei;
        r->conv.split_k     = split_k;
        r->conv.d.resize(ds.size());
        set_d_tensors(r->conv, ds, ds_lengths, ds_strides, wei_lengths);
        return r;
    }

    /// Without D tensors. rest: the parameters from the strides on.
    template <class Tensor, class... Rest>
    static std::unique_ptr<BaseArgument> make(const void* in,
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
        const std::array<Tensor, 0> none{};
        return make(in,
                    wei,
                    out,
                    std::array<const void*, 0>{},
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

/// Implements DeviceGroupedConvBwdWeight.
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
          class OutOperation,
          class... ComputeTypes>
struct InstanceOf<Interface,
                  DeviceGroupedConvBwdWeight<rank,
                                             InLayout,
                                             WeiLayout,
                                             OutLayout,
                                             In,
                                             Wei,
                                             Out,
                                             InOperation,
                                             WeiOperation,
                                             OutOperation,
                                             ComputeTypes...>>
    : public GroupedKind<WeightInstance,
                         Interface,
                         ConvFamily<Direction::backward_weight,
                                    Out,
                                    In,
                                    Wei,
                                    Tuple<>,
                                    OutOperation,
                                    InOperation,
                                    WeiOperation,
                                    ComputeTypes...>,
                         grouped_backward_weight_names,
                         serves_grouped<rank, InLayout, WeiLayout, OutLayout>()>
{};

/// Implements DeviceGroupedConvBwdWeightMultipleD.
template <class Interface,
          index_t rank,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class DsLayout,
          class In,
          class Wei,
          class Out,
          class Ds,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          class... ComputeTypes>
struct InstanceOf<Interface,
                  DeviceGroupedConvBwdWeightMultipleD<rank,
                                                      InLayout,
                                                      WeiLayout,
                                                      OutLayout,
                                                      DsLayout,
                                                      In,
                                                      Wei,
                                                      Out,
                                                      Ds,
                                                      InOperation,
                                                      WeiOperation,
                                                      OutOperation,
                                                      ComputeTypes...>>
    : public GroupedKind<WeightInstance,
                         Interface,
                         ConvFamily<Direction::backward_weight,
                                    Out,
                                    In,
                                    Wei,
                                    Ds,
                                    OutOperation,
                                    InOperation,
                                    WeiOperation,
                                    ComputeTypes...>,
                         grouped_backward_weight_multiple_d_names,
                         serves_grouped<rank, InLayout, WeiLayout, OutLayout>()>
{};

} // namespace ck::tensor_operation::device::instance
