// The example of docs/blocked_layouts.md.
//
// Labels: emulated on one target
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_blocked_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"

namespace documented {

using namespace ck;
namespace device  = tensor_operation::device;
using Image       = tensor_layout::convolution::NDC1HWC0<>; // C0 is 16, for f16
using Filter      = tensor_layout::convolution::FRACTAL_Z_3D<>;
using PassThrough = tensor_operation::element_wise::PassThrough;

constexpr GemmTuning tuning{.block_tile  = {64, 64, 32}, // slices of two blocks of C0
                            .wave_m      = 32,
                            .wave_n      = 32,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 8,
                            .b_vector    = 4,
                            .c_vector    = 8};
using BackwardData = device::DeviceGroupedConvBwdDataBlockedImplicitGemm<3,
                                                                         Image,  // dY
                                                                         Filter, // W
                                                                         Image,  // dX
                                                                         half_t,
                                                                         half_t,
                                                                         half_t,
                                                                         PassThrough,
                                                                         PassThrough,
                                                                         PassThrough,
                                                                         tuning>;

/// dX (1,20,4,6,6) of W (24,20,3,3,3) and dY (1,24,2,6,6), all ones: its first element.
float first_element()
{
    const auto dy = device::make_blocked_tensor<3, Image, half_t>({1, 1, 24, 2, 6, 6});
    const auto w  = device::make_blocked_tensor<3, Filter, half_t>({1, 24, 20, 3, 3, 3});
    const auto dx = device::make_blocked_tensor<3, Image, half_t>({1, 1, 20, 4, 6, 6});
    const DeviceMem in(2 * dx.elements), weight(2 * w.elements), out(2 * dy.elements);
    out.SetValue(half_t{1}); // in padding lanes, too: they are ignored
    weight.SetValue(half_t{1});

    BackwardData op;
    const auto argument = op.MakeArgumentPointer(out.GetDeviceBuffer(),
                                                 weight.GetDeviceBuffer(),
                                                 {},
                                                 in.GetDeviceBuffer(),
                                                 dy.lengths,
                                                 dy.strides,
                                                 w.lengths,
                                                 w.strides,
                                                 {},
                                                 {},
                                                 dx.lengths,
                                                 dx.strides,
                                                 {1, 1, 1}, // strides
                                                 {1, 1, 1}, // dilations
                                                 {0, 1, 1}, // left pads
                                                 {0, 1, 1}, // right pads
                                                 {},
                                                 {},
                                                 {});
    if(!op.IsSupportedArgument(argument.get()))
        throw std::runtime_error(op.WhyNotSupported(argument.get()));
    op.MakeInvokerPointer()->Run(argument.get());

    std::vector<half_t> result(static_cast<std::size_t>(dx.elements));
    in.FromDevice(result.data());
    return type_convert<float>(result[0]);
}

} // namespace documented

TEST(BlockedLayouts, TheExampleOfTheDocument)
{
    EXPECT_EQ(documented::first_element(), 24 * 2 * 2); // K, two rows and two columns of taps
}
