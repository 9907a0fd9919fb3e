#pragma once
// Times and verifies all instances of a transposed convolution and of both its gradients, and runs
// the best ones again. They are passes of the convolution from y to x: its input is y and its
// output is x.
#include "ck/convolution/arrays.hpp"
#include "ck/convolution/transposed_pytorch.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "common/verify.hpp"

namespace device = ck::tensor_operation::device;
using P          = ck::tensor_operation::element_wise::PassThrough;
using None       = ck::Tuple<>;

template <class DeviceOp, class T, class MakeArgument>
int run(ck::TransposedPass pass, const ck::ConvProblem& c, Result<T>& result, MakeArgument make)
{
    constexpr std::size_t size = sizeof(T);
    std::cout << "transposed convolution, " << name(pass) << ": ";
    return run_instances(device::instance::DeviceOperationInstanceFactory<DeviceOp>::GetInstances(),
                         flops(c),
                         bytes(c, size, size, size),
                         make,
                         result);
}

/// Times the three passes. The layouts are those of y, w and x, channels last. The exit status is
/// failure if no instance supports a pass or if a result is wrong. Throws std::runtime_error for
/// invalid arguments.
template <std::size_t rank, class T, class YLayout, class WLayout, class XLayout>
int run_conv_transpose(const ck::PyTorchConvTranspose& arguments)
{
    auto [p, valid] = make_conv_transpose(arguments);
    if(!valid)
        throw std::runtime_error(valid.reason);
    set_packed_strides(p);
    const ck::ConvProblem c = p.convolution();
    const auto a            = ck::to_arrays<rank>(c);
    const auto wide         = [](const auto& values) {
        return std::vector<ck::long_index_t>(values.begin(), values.end());
    };
    const HostTensorDescriptor of_x(a.output_lengths, a.output_strides),
        of_w(a.filter_lengths, a.filter_strides), of_y(a.input_lengths, a.input_strides);
    const bool verify = verifies(flops(c));
    // Each tensor is an operand of two passes and the result of the third.
    const Operand<T> x(of_x, verify), w(of_w, verify), dy(of_y, verify);
    const auto compute = [&]<class Reference>(Reference, auto&... tensors) {
        Reference::MakeInvoker().Run(Reference::MakeArgument(tensors...,
                                                             wide(a.strides),
                                                             wide(a.dilations),
                                                             wide(a.left_pads),
                                                             wide(a.right_pads),
                                                             P{},
                                                             P{},
                                                             P{}));
    };
    namespace host = ck::tensor_operation::host;
    Result<T> y(of_y, verify, [&](Tensor<double>& expected) {
        compute(
            host::ReferenceConvBwdData<rank, double, T, T, P, P, P>{}, expected, w.host, x.host);
    });
    Result<T> dx(of_x, verify, [&](Tensor<double>& expected) {
        compute(host::ReferenceConvFwd<rank, T, T, double, P, P, P>{}, dy.host, w.host, expected);
    });
    Result<T> dw(of_w, verify, [&](Tensor<double>& expected) {
        compute(
            host::ReferenceConvBwdWeight<rank, T, double, T, P, P, P>{}, dy.host, expected, x.host);
    });

    using BwdData     = device::DeviceGroupedConvBwdDataMultipleD<rank,
                                                              XLayout,
                                                              WLayout,
                                                              None,
                                                              YLayout,
                                                              T,
                                                              T,
                                                              None,
                                                              T,
                                                              P,
                                                              P,
                                                              P>;
    const int forward = run<BwdData>(ck::TransposedPass::forward, c, y, [&](BwdData& op) {
        return op.MakeArgumentPointer(x.device.p,
                                      w.device.p,
                                      {},
                                      y.device.p,
                                      a.output_lengths,
                                      a.output_strides,
                                      a.filter_lengths,
                                      a.filter_strides,
                                      {},
                                      {},
                                      a.input_lengths,
                                      a.input_strides,
                                      a.strides,
                                      a.dilations,
                                      a.left_pads,
                                      a.right_pads,
                                      P{},
                                      P{},
                                      P{});
    });
    using Fwd         = device::DeviceGroupedConvFwdMultipleABD<rank,
                                                        YLayout,
                                                        WLayout,
                                                        None,
                                                        XLayout,
                                                        T,
                                                        T,
                                                        None,
                                                        T,
                                                        P,
                                                        P,
                                                        P>;
    const int input   = run<Fwd>(ck::TransposedPass::input_gradient, c, dx, [&](Fwd& op) {
        return op.MakeArgumentPointer(dy.device.p,
                                      w.device.p,
                                      {},
                                      dx.device.p,
                                      a.input_lengths,
                                      a.input_strides,
                                      a.filter_lengths,
                                      a.filter_strides,
                                      {},
                                      {},
                                      a.output_lengths,
                                      a.output_strides,
                                      a.strides,
                                      a.dilations,
                                      a.left_pads,
                                      a.right_pads,
                                      P{},
                                      P{},
                                      P{});
    });
    using BwdWeight =
        device::DeviceGroupedConvBwdWeight<rank, YLayout, WLayout, XLayout, T, T, T, P, P, P>;
    const int filter =
        run<BwdWeight>(ck::TransposedPass::filter_gradient, c, dw, [&](BwdWeight& op) {
            const ck::index_t split_k = 1;
            return op.MakeArgumentPointer(dy.device.p,
                                          dw.device.p,
                                          x.device.p,
                                          a.input_lengths,
                                          a.input_strides,
                                          a.filter_lengths,
                                          a.filter_strides,
                                          a.output_lengths,
                                          a.output_strides,
                                          a.strides,
                                          a.dilations,
                                          a.left_pads,
                                          a.right_pads,
                                          P{},
                                          P{},
                                          P{},
                                          split_k);
        });
    return forward == EXIT_SUCCESS && input == EXIT_SUCCESS && filter == EXIT_SUCCESS
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}

/// The lengths of x: `gpu`, or `cpu` with a smaller N and image if the CPU stands in for a
/// GPU.
inline std::vector<ck::long_index_t> fitting_input(const std::vector<ck::long_index_t>& gpu,
                                                   const std::vector<ck::long_index_t>& cpu)
{
    if(on_cpu())
        std::cout << "the CPU stands in for a GPU: N " << cpu[0] << " and an image of " << cpu[2]
                  << " in each dimension instead of N " << gpu[0] << " and " << gpu[2] << '\n';
    return on_cpu() ? cpu : gpu;
}
