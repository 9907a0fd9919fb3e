#pragma once
// A forward convolution that gives two results: quantized Y, and the largest absolute value of Y.
#include "ck/library/tensor_operation_instance/gpu/permute_scale.hpp"
#include "ck/library/tensor_operation_instance/gpu/reduce/reduce.hpp"
#include "ck/tensor_operation/gpu/device/device_elementwise.hpp"
#include "ck/tensor_operation/gpu/device/device_reduce.hpp"
#include "ck/tensor_operation/gpu/device/reduction_operator_mapping.hpp"
#include "ck/utility/reduction_enums.hpp"

#include "forward.hpp"
#include <algorithm>
#include <cmath>

/// Computes out = amax over `dims` of in, one of several steps. result: see run_instances().
/// Returns an exit status.
template <bool first,
          bool last,
          std::size_t rank,
          std::size_t reduced,
          std::size_t kept,
          class Result>
int run_amax(const TensorShape<rank>& in_shape,
             const TensorShape<kept>& out_shape,
             const std::array<int, reduced>& dims,
             void* in,
             void* out,
             Result& result)
{
    constexpr auto amax = ck::ReduceTensorOp::AMAX;
    using Unary         = ck::reduce_unary_operator<amax, first, last>;
    using DeviceOp      = ck::tensor_operation::device::DeviceReduce<
        float,
        float,
        float,
        rank,
        reduced,
        typename ck::reduce_binary_operator<amax>::opType,
        typename Unary::InElementwiseOperation,
        typename Unary::AccElementwiseOperation,
        true,
        false>;
    const auto [in_op, acc_op] =
        Unary::GetElementwiseOperator(static_cast<int>(in_shape.size() / out_shape.size()));
    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        1. * in_shape.size(),
        4. * (in_shape.size() + out_shape.size()),
        [&, in_op = in_op, acc_op = acc_op](DeviceOp& op) {
            return op.MakeArgumentPointer(in_shape.lengths,
                                          in_shape.strides,
                                          out_shape.lengths,
                                          out_shape.strides,
                                          dims,
                                          1.,
                                          0.,
                                          in,
                                          nullptr,
                                          out,
                                          nullptr,
                                          in_op,
                                          acc_op);
        },
        result);
}

/// Times and verifies the steps for fp8 X and W. The exit status is failure if no instance supports
/// a step or if a result is wrong.
template <class Operation>
int run_forward_amax(const GroupedProblem<3>& problem, const Operation& operation)
{
    using ck::Tuple, ck::tensor_operation::element_wise::Scale;
    using DeviceOp =
        ck::tensor_operation::device::DeviceElementwise<Tuple<float>, Tuple<ck::f8_t>, Scale, 6>;
    const auto further_steps = [&](Result<float>& conv) {
        const auto p = problem.fitting();
        const auto y = p.output<ck::tensor_layout::convolution::NDHWGK>();
        const Scale scale{.5f};
        Result<ck::f8_t> quantised(conv.shape, conv.verifies, [&](Tensor<double>& expected) {
            const std::vector<float>& values = conv.values();
            std::copy(values.begin(), values.end(), expected.mData.begin());
            apply_operation<ck::f8_t, float>(
                expected, scale, [](std::size_t) { return std::tuple<>(); });
        });
        const TensorShape<3> channels{{p.G, p.N, p.K}, {p.N * p.K, p.K, 1}};
        const TensorShape<1> all{{1}, {1}};
        const SimpleDeviceMem of_channels(sizeof(float) * channels.size());
        Result<float> amax(all.descriptor(), conv.verifies, [&](Tensor<double>& expected) {
            for(const float value : conv.values())
                expected.mData[0] = std::max(expected.mData[0], std::abs(double{value}));
        });

        const int scaled = run_instances(
            ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
                DeviceOp>::GetInstances(),
            1. * y.size(),
            5. * y.size(),
            [&](DeviceOp& op) {
                return op.MakeArgumentPointer(y.lengths,
                                              {y.strides},
                                              {y.strides},
                                              {conv.device.p},
                                              {quantised.device.p},
                                              scale);
            },
            quantised);
        if(scaled != EXIT_SUCCESS)
            return scaled;
        NotVerified step; // the next one is
        const int reduced =
            run_amax<true, false, 6, 3>(y, channels, {3, 4, 5}, conv.device.p, of_channels.p, step);
        return reduced == EXIT_SUCCESS
                   ? run_amax<false, true, 3, 3>(
                         channels, all, {0, 1, 2}, of_channels.p, amax.device.p, amax)
                   : reduced;
    };
    return run_forward<ck::f8_t, ck::f8_t, float>(problem, operation, {}, further_steps);
}
