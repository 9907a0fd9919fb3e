#pragma once
// Times all instances of a backward data convolution and runs the best one again. Needs only the
// installed library.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/verify.hpp"
#include <functional>
#include <numeric>
#include <vector>

using PassThrough = ck::tensor_operation::element_wise::PassThrough;
using Lengths     = std::vector<ck::index_t>; // [D] H W

struct Problem
{
    ck::index_t N, K, C; // images, output channels, input channels
    Lengths filter, input, output, strides, dilations, left_pads, right_pads;
};

inline std::size_t product(const Lengths& lengths)
{
    return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>{});
}

/// A packed tensor: images N C [D] H W or filters K C [Z] Y X. Channels, the second dimension, are
/// the fastest in memory.
inline HostTensorDescriptor
channels_last(std::size_t first, std::size_t channels, const Lengths& spatial)
{
    std::vector<std::size_t> lengths{first, channels}, strides(2 + spatial.size());
    lengths.insert(lengths.end(), spatial.begin(), spatial.end());
    strides[1]         = 1;
    std::size_t stride = channels;
    for(std::size_t i = lengths.size() - 1; i >= 2; --i)
    {
        strides[i] = stride;
        stride *= lengths[i];
    }
    strides[0] = stride;
    return HostTensorDescriptor(lengths, strides);
}

/// Exit status: failure if no instance supports the problem, or a result is wrong.
template <ck::index_t rank, class T, class InLayout, class WeiLayout, class OutLayout>
int run_conv_bwd_data(const Problem& p)
{
    using DeviceOp = ck::tensor_operation::device::DeviceConvBwdData<rank,
                                                                     InLayout,
                                                                     WeiLayout,
                                                                     OutLayout,
                                                                     T,
                                                                     T,
                                                                     T,
                                                                     PassThrough,
                                                                     PassThrough,
                                                                     PassThrough>;

    const std::size_t in_size  = p.N * product(p.input) * p.C;
    const std::size_t wei_size = p.K * product(p.filter) * p.C;
    const std::size_t out_size = p.N * product(p.output) * p.K;
    const double flop          = 2. * out_size * p.C * product(p.filter);
    const double bytes         = 1. * sizeof(T) * (in_size + wei_size + out_size);

    const bool verify = verifies(flop);
    Operand<T> wei(channels_last(p.K, p.C, p.filter), verify),
        out(channels_last(p.N, p.K, p.output), verify);
    Result<T> in(channels_last(p.N, p.C, p.input), verify, [&](Tensor<double>& expected) {
        using Reference = ck::tensor_operation::host::
            ReferenceConvBwdData<rank, double, T, T, PassThrough, PassThrough, PassThrough>;
        const auto wide = [](const Lengths& values) {
            return std::vector<ck::long_index_t>(values.begin(), values.end());
        };
        Reference::MakeInvoker().Run(Reference::MakeArgument(expected,
                                                             wei.host,
                                                             out.host,
                                                             wide(p.strides),
                                                             wide(p.dilations),
                                                             wide(p.left_pads),
                                                             wide(p.right_pads),
                                                             PassThrough{},
                                                             PassThrough{},
                                                             PassThrough{}));
    });

    return run_instances(
        ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
            DeviceOp>::GetInstances(),
        flop,
        bytes,
        [&](DeviceOp& op) {
            return op.MakeArgumentPointer(in.device.p,
                                          wei.device.p,
                                          out.device.p,
                                          p.N,
                                          p.K,
                                          p.C,
                                          p.input,
                                          p.filter,
                                          p.output,
                                          p.strides,
                                          p.dilations,
                                          p.left_pads,
                                          p.right_pads,
                                          PassThrough{},
                                          PassThrough{},
                                          PassThrough{});
        },
        in);
}

/// A problem in three dimensions, the same for all data types.
template <class T>
int run_conv3d_bwd_data(int argc, char* argv[])
{
    using namespace ck::tensor_layout::convolution;
    return report_errors(argc, argv, [] {
        Problem p{64,
                  128,
                  64,
                  {3, 3, 3},
                  {28, 28, 28},
                  {28, 28, 28},
                  {1, 1, 1},
                  {1, 1, 1},
                  {1, 1, 1},
                  {1, 1, 1}};
        if(on_cpu())
        {
            p.N     = 1;
            p.input = p.output = {6, 6, 6};
            std::cout << "the CPU stands in for a GPU: N 1 and 6x6x6 instead of N 64 and "
                         "28x28x28\n";
        }
        return run_conv_bwd_data<3, T, NDHWC, KZYXC, NDHWK>(p);
    });
}
