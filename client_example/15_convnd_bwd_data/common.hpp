#pragma once
// Times all instances of a backward data convolution and runs the best one again. Needs the
// installed library alone.
#include "ck/ck.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_bwd_data.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using PassThrough = ck::tensor_operation::element_wise::PassThrough;
using Lengths     = std::vector<ck::index_t>; // [D] H W

inline void check(hipError_t error, const char* what)
{
    if(error != hipSuccess)
        throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(error));
}

/// Zeroed device memory.
struct SimpleDeviceMem
{
    explicit SimpleDeviceMem(std::size_t bytes)
    {
        check(hipMalloc(&p, bytes), "hipMalloc");
        check(hipMemset(p, 0, bytes), "hipMemset");
    }
    ~SimpleDeviceMem() { static_cast<void>(hipFree(p)); }
    SimpleDeviceMem(const SimpleDeviceMem&)            = delete;
    SimpleDeviceMem& operator=(const SimpleDeviceMem&) = delete;

    void* p = nullptr;
};

struct Problem
{
    ck::index_t N, K, C; // images, output channels, input channels
    Lengths filter, input, output, strides, dilations, left_pads, right_pads;
};

inline std::size_t product(const Lengths& lengths)
{
    return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>{});
}

/// Whether the library was built for a CPU that stands in for a GPU.
inline bool on_cpu()
{
    hipDeviceProp_t properties{};
    check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
    return std::string(properties.gcnArchName) == "host";
}

/// Exit status: failure if no instance supports the problem.
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
    SimpleDeviceMem in(sizeof(T) * in_size), wei(sizeof(T) * wei_size), out(sizeof(T) * out_size);
    const double flop  = 2. * out_size * p.C * product(p.filter);
    const double bytes = 1. * sizeof(T) * (in_size + wei_size + out_size);

    const auto run = [&](DeviceOp& op, const StreamConfig& config, std::string& reason) {
        const auto argument = op.MakeArgumentPointer(in.p,
                                                     wei.p,
                                                     out.p,
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
        reason = op.IsSupportedArgument(argument.get()) ? "" : op.WhyNotSupported(argument.get());
        return reason.empty() ? op.MakeInvokerPointer()->Run(argument.get(), config) : 0.f;
    };

    const auto instances = ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
        DeviceOp>::GetInstances();
    std::cout << "found " << instances.size() << " instances\n";
    const StreamConfig timed = on_cpu() ? StreamConfig{nullptr, true, 0, 0, 1} // no point in more
                                        : StreamConfig{nullptr, true};
    DeviceOp* best           = nullptr;
    double best_ms           = 0;
    std::string reason;
    const auto report = [&](const std::string& name, double ms) {
        std::cout << ms << " ms, " << flop / 1e9 / ms << " TFlops, " << bytes / 1e6 / ms
                  << " GB/s, " << name << std::endl;
    };
    for(const auto& op : instances)
    {
        const float ms = run(*op, timed, reason);
        if(!reason.empty())
        {
            std::cout << op->GetTypeString() << " does not support this: " << reason << std::endl;
            continue;
        }
        report(op->GetTypeString(), ms);
        if(best == nullptr || ms < best_ms)
        {
            best    = op.get();
            best_ms = ms;
        }
    }
    if(best == nullptr)
    {
        std::cerr << "no suitable instance\n";
        return EXIT_FAILURE;
    }
    std::cout << "best: ";
    report(best->GetTypeString(), best_ms);
    run(*best, StreamConfig{nullptr, false}, reason);
    check(hipDeviceSynchronize(), "the best instance, once more");
    std::cout << "done\n";
    return EXIT_SUCCESS;
}

/// In three dimensions; the same problem for all data types.
template <class T>
int run_conv3d_bwd_data()
{
    using namespace ck::tensor_layout::convolution;
    try
    {
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
    }
    catch(const std::exception& e)
    {
        std::cerr << "error: " << e.what() << '\n';
        return EXIT_FAILURE;
    }
}
