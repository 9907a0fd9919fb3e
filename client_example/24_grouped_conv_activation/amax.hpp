#pragma once
// A forward convolution whose result is needed twice: quantised, and as its largest absolute value.
#include "ck/library/tensor_operation_instance/gpu/permute_scale.hpp"
#include "ck/library/tensor_operation_instance/gpu/reduce/reduce.hpp"
#include "ck/tensor_operation/gpu/device/device_elementwise.hpp"
#include "ck/tensor_operation/gpu/device/device_reduce.hpp"
#include "ck/tensor_operation/gpu/device/reduction_operator_mapping.hpp"
#include "ck/utility/reduction_enums.hpp"

#include "forward.hpp"

/// Computes out = amax over `dims` of in, one step of several. Returns an exit status.
template <bool first, bool last, std::size_t rank, std::size_t reduced, std::size_t kept>
int run_amax(const TensorShape<rank>& in_shape,
             const TensorShape<kept>& out_shape,
             const std::array<int, reduced>& dims,
             void* in,
             void* out)
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
    return run_instances(ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
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
                         });
}

/// Times the steps on X and W of fp8, all ones. Returns failure as exit status if a step has no
/// instance that supports the problem, or amax is not the value of a pixel whose window has no
/// padding.
template <class Operation>
int run_forward_amax(const GroupedProblem<3>& problem, const Operation& operation)
{
    using ck::Tuple, ck::tensor_operation::element_wise::Scale;
    using DeviceOp =
        ck::tensor_operation::device::DeviceElementwise<Tuple<float>, Tuple<ck::f8_t>, Scale, 6>;
    const auto p = problem.fitting();
    const auto y = p.output<ck::tensor_layout::convolution::NDHWGK>();
    const TensorShape<3> channels{{p.G, p.N, p.K}, {p.N * p.K, p.K, 1}};
    const TensorShape<1> all{{1}, {1}};
    SimpleDeviceMem conv(sizeof(float) * y.size()), quantised(y.size()),
        of_channels(sizeof(float) * channels.size()), amax(sizeof(float));

    const bool ran =
        run_forward<ck::f8_t, ck::f8_t, float>(problem, operation, {}, conv.p, 0x40) ==
            EXIT_SUCCESS &&
        run_instances(
            ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
                DeviceOp>::GetInstances(),
            1. * y.size(),
            5. * y.size(),
            [&](DeviceOp& op) {
                return op.MakeArgumentPointer(
                    y.lengths, {y.strides}, {y.strides}, {conv.p}, {quantised.p}, Scale{.5f});
            }) == EXIT_SUCCESS &&
        run_amax<true, false, 6, 3>(y, channels, {3, 4, 5}, conv.p, of_channels.p) ==
            EXIT_SUCCESS &&
        run_amax<false, true, 3, 3>(channels, all, {0, 1, 2}, of_channels.p, amax.p) ==
            EXIT_SUCCESS;
    float result = 0, sum = 27.f * p.C, expected = 0;
    check(hipMemcpy(&result, amax.p, sizeof(float), hipMemcpyDeviceToHost), "hipMemcpy");
    operation(expected, sum);
    std::cout << "amax: " << result << ", expected " << expected << '\n';
    return ran && result == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
