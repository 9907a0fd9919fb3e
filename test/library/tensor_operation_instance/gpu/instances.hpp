#pragma once
// All instances of a factory on one small grouped problem, each compared exactly with the CPU's
// plain loops.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"

#include "convolution/grouped.hpp"
#include <set>

namespace ck::test {

using tensor_operation::device::instance::DeviceOperationInstanceFactory;

/// 2 groups, 3 images, channels that are multiples of 16, unequal strides, pads and dilations.
template <index_t rank>
ConvParam small_problem(index_t channels = 16)
{
    const auto first = [](std::vector<index_t> values) {
        values.resize(rank);
        return values;
    };
    return {rank,
            2,
            3,
            2 * channels,
            channels,
            first({3, 2, 1}),
            first({7, 5, 3}),
            first({2, 1, 1}),
            first({1, 2, 1}),
            first({1, 0, 1}),
            first({2, 1, 0})};
}

/// The three tensors of a problem: small integers.
template <class InLayout, class WeiLayout, class OutLayout, class In, class Wei, class Out>
struct ProblemTensors
{
    explicit ProblemTensors(const ConvParam& p)
        : x(utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<InLayout>(p)),
          w(utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<WeiLayout>(p)),
          y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<OutLayout>(p))
    {
        x.fill_with_integers();
        w.fill_with_integers();
        y.fill_with_integers();
    }
    Mirrored<In> x;
    Mirrored<Wei> w;
    Mirrored<Out> y;
};

template <index_t rank, class T>
std::array<index_t, rank + 3> lengths(const Mirrored<T>& t)
{
    return array_of<rank>(t.host.GetLengths());
}
template <index_t rank, class T>
std::array<index_t, rank + 3> strides(const Mirrored<T>& t)
{
    return array_of<rank>(t.host.GetStrides());
}

/// How many instances ran and refused, and all their names.
struct Ran
{
    int right = 0, refused = 0;
    std::set<std::string> names;
};

/// instances: pointers to operations. make_argument(op) writes `result`, which must become
/// `expected`.
template <class Instances, class T, class MakeArgument>
Ran run_each(const Instances& instances,
             Mirrored<T>& result,
             const Tensor<T>& expected,
             MakeArgument make_argument)
{
    Ran ran;
    for(const auto& op : instances)
    {
        SCOPED_TRACE(op->GetTypeString());
        EXPECT_TRUE(ran.names.insert(op->GetTypeString()).second) << "twice";
        result.fill_with_nan();
        const auto argument     = make_argument(*op);
        const std::size_t bytes = op->GetWorkSpaceSize(argument.get());
        DeviceMem workspace(bytes);
        if(bytes > 0)
            workspace.SetValue(std::numeric_limits<float>::quiet_NaN());
        op->SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
        const std::string reason = op->WhyNotSupported(argument.get());
        EXPECT_EQ(op->IsSupportedArgument(argument.get()), reason.empty());
        const auto invoker = op->MakeInvokerPointer();
        if(!reason.empty())
        {
            EXPECT_THROW(invoker->Run(argument.get()), std::runtime_error);
            ++ran.refused;
            continue;
        }
        invoker->Run(argument.get());
        const std::size_t different = differences(result.result(), expected.mData);
        EXPECT_EQ(different, 0u);
        ran.right += different == 0;
    }
    return ran;
}
template <class DeviceOp, class T, class MakeArgument>
Ran run_all(Mirrored<T>& result, const Tensor<T>& expected, MakeArgument make_argument)
{
    return run_each(
        DeviceOperationInstanceFactory<DeviceOp>::GetInstances(), result, expected, make_argument);
}

} // namespace ck::test
