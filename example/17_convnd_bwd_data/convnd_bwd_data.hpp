#pragma once
// What all examples here share: make the tensors, run the first operation that supports the
// problem, verify.
#include "ck/ck.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/library/utility/host_tensor_generator.hpp"
#include "ck/stream_config.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include "command_line.hpp"
#include "verify.hpp"
#include <cmath>
#include <iostream>
#include <thread>
#include <tuple>

using ck::tensor_operation::element_wise::PassThrough;
inline constexpr auto ConvBwdDefault =
    ck::tensor_operation::device::ConvolutionBackwardDataSpecialization::Default;
template <ck::index_t... Is>
using S = ck::Sequence<Is...>;

/// Without the dimension of groups, of which there is one.
inline HostTensorDescriptor without_groups(const HostTensorDescriptor& d)
{
    return {std::vector<std::size_t>(d.GetLengths().begin() + 1, d.GetLengths().end()),
            std::vector<std::size_t>(d.GetStrides().begin() + 1, d.GetStrides().end())};
}

template <class T>
void initialise(Tensor<T>& out, Tensor<T>& wei, int how)
{
    if(how == 1)
    {
        out.GenerateTensorValue(GeneratorTensor_2<T>{-5, 6});
        wei.GenerateTensorValue(GeneratorTensor_2<T>{-5, 6});
    }
    else if(how == 2)
    {
        out.GenerateTensorValue(GeneratorTensor_3<T>{0.f, 1.f});
        wei.GenerateTensorValue(GeneratorTensor_3<T>{-.5f, .5f});
    }
}

/// Whether the operation ran; if not, says why.
template <class T, class Operation>
bool run_operation(Operation op,
                   const CommandLine& line,
                   const DeviceMem& in,
                   const DeviceMem& wei,
                   const DeviceMem& out)
{
    const auto& p     = line.problem;
    const auto narrow = [](const std::vector<ck::long_index_t>& values) {
        return std::vector<ck::index_t>(values.begin(), values.end());
    };
    const auto argument = op.MakeArgumentPointer(in.GetDeviceBuffer(),
                                                 wei.GetDeviceBuffer(),
                                                 out.GetDeviceBuffer(),
                                                 static_cast<ck::index_t>(p.N_),
                                                 static_cast<ck::index_t>(p.K_),
                                                 static_cast<ck::index_t>(p.C_),
                                                 narrow(p.input_spatial_lengths_),
                                                 narrow(p.filter_spatial_lengths_),
                                                 narrow(p.output_spatial_lengths_),
                                                 narrow(p.conv_filter_strides_),
                                                 narrow(p.conv_filter_dilations_),
                                                 narrow(p.input_left_pads_),
                                                 narrow(p.input_right_pads_),
                                                 PassThrough{},
                                                 PassThrough{},
                                                 PassThrough{});
    if(!op.IsSupportedArgument(argument.get()))
    {
        std::cout << op.GetTypeString()
                  << " does not support this: " << op.WhyNotSupported(argument.get()) << '\n';
        return false;
    }
    in.SetValue(ck::type_convert<T>(std::nanf(""))); // every element must be written
    std::cout << op.GetTypeString() << std::endl;
    const int warm_up = ck::arch::emulated ? 0 : 5;
    const float ms    = op.MakeInvokerPointer()->Run(
        argument.get(),
        StreamConfig{nullptr, line.repetitions > 0, 1, warm_up, std::max(line.repetitions, 1)});
    if(line.repetitions > 0)
        std::cout << "Perf: " << ms << " ms, " << static_cast<double>(p.GetFlops()) / 1e9 / ms
                  << " TFlops, " << static_cast<double>(p.GetByte<T, T, T>()) / 1e6 / ms << " GB/s"
                  << std::endl;
    return true;
}

template <ck::index_t rank,
          class T,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class... Operations>
int run(const CommandLine& line,
        const char* const (&names)[3],
        std::tuple<Operations...> operations)
{
    namespace conv = ck::utils::conv;
    const auto& p  = line.problem;
    Tensor<T> in(
        without_groups(conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<InLayout>(p)));
    Tensor<T> wei(
        without_groups(conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<WeiLayout>(p)));
    Tensor<T> out(
        without_groups(conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<OutLayout>(p)));
    std::cout << names[0] << ": " << in.mDesc << '\n'
              << names[1] << ": " << wei.mDesc << '\n'
              << names[2] << ": " << out.mDesc << std::endl;
    initialise(out, wei, line.initialisation);

    const DeviceMem in_device(in.GetElementSpaceSizeInBytes()),
        wei_device(wei.GetElementSpaceSizeInBytes()), out_device(out.GetElementSpaceSizeInBytes());
    wei_device.ToDevice(wei.data());
    out_device.ToDevice(out.data());

    const bool ran = std::apply(
        [&](const auto&... op) {
            return (run_operation<T>(op, line, in_device, wei_device, out_device) || ...);
        },
        operations);
    if(!ran)
    {
        std::cout << "no operation of this example supports the problem on this device\n";
        return 1;
    }
    in_device.FromDevice(in.data());
    return !line.verify || verify<rank>(p, in, wei, out, line.initialisation != 2) ? 0 : 1;
}

/// T: element type. Operations<rank>: a tuple of device operations, the best first.
template <class T, template <ck::index_t> class Operations>
int convnd_bwd_data_main(int argc, char* argv[])
{
    using namespace ck::tensor_layout::convolution;
    CommandLine line;
    try
    {
        line = parse_command_line(argc, argv);
    }
    catch(const std::invalid_argument& e)
    {
        std::cerr << e.what() << '\n';
        return 2;
    }
    if(line.help)
    {
        print_help(argv[0]);
        return 0;
    }
    if(ck::arch::emulated && line.default_problem)
        std::cout << "no GPU in this build: the CPU stands in for one, and N is " << line.problem.N_
                  << " instead of 128\n";
    try
    {
        switch(line.problem.num_dim_spatial_)
        {
        case 1:
            return run<1, T, NWC, KXC, NWK>(
                line, {"in_n_c_wi", "wei_k_c_x", "out_n_k_wo"}, typename Operations<1>::Tuple{});
        case 2:
            return run<2, T, NHWC, KYXC, NHWK>(line,
                                               {"in_n_c_hi_wi", "wei_k_c_y_x", "out_n_k_ho_wo"},
                                               typename Operations<2>::Tuple{});
        default:
            return run<3, T, NDHWC, KZYXC, NDHWK>(
                line,
                {"in_n_c_di_hi_wi", "wei_k_c_z_y_x", "out_n_k_do_ho_wo"},
                typename Operations<3>::Tuple{});
        }
    }
    catch(const std::bad_alloc&)
    {
        const auto& p = line.problem;
        std::cerr << "error: tensors of " << p.GetInputElements() << ", " << p.GetWeightElements()
                  << " and " << p.GetOutputElements() << " elements do not fit into host memory\n";
        return 1;
    }
    catch(const std::exception& e)
    {
        std::cerr << "error: " << e.what() << '\n';
        return 1;
    }
}
