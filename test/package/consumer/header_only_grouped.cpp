// Header-only use of a grouped operation: forward, whose sizes and strides are std::arrays.
#include "ck/ck.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <vector>

using ck::tensor_operation::element_wise::PassThrough;
using namespace ck::tensor_layout::convolution;

constexpr ck::GemmTuning tuning{.block_tile  = {64, 64, 16},
                                .wave_m      = 32,
                                .wave_n      = 32,
                                .instruction = ck::arch::Matrix::dot_f32_8x4x1_f32,
                                .a_vector    = 4,
                                .b_vector    = 4,
                                .c_vector    = 4};

using Operation =
    ck::tensor_operation::device::DeviceGroupedConvFwdImplicitGemm<2,     // spatial dimensions
                                                                   NHWGC, // layouts: X,
                                                                   GKYXC, // W,
                                                                   ck::Tuple<>, // each D,
                                                                   NHWGK,       // Y
                                                                   float,       // types: X,
                                                                   float,       // W,
                                                                   ck::Tuple<>, // each D,
                                                                   float,       // Y
                                                                   PassThrough, // operations: on X,
                                                                   PassThrough, // on W,
                                                                   PassThrough, // on the sum
                                                                   tuning>;

using Sizes = std::array<ck::index_t, 5>; // of G, N, C (or K), H, W, whatever the layout
using Pair  = std::array<ck::index_t, 2>; // of H, W

// A braced list could be an array of 32-bit or of 64-bit integers.
template <class Op>
concept TakesBracedLists = requires(float* p)
{
    Op::MakeArgument(p,
                     p,
                     {},
                     p,
                     {2, 1, 4, 9, 9},
                     {4, 648, 1, 72, 8},
                     {2, 8, 4, 3, 3},
                     {288, 36, 1, 12, 4},
                     {},
                     {},
                     {2, 1, 8, 9, 9},
                     {8, 1296, 1, 144, 16},
                     {1, 1},
                     {1, 1},
                     {1, 1},
                     {1, 1},
                     {},
                     {},
                     {});
};
static_assert(!TakesBracedLists<Operation>);

int main()
try
{
    // Two groups of 4 channels each and 8 filters, one image, 3x3, stride 1, padding 1.
    std::vector<float> x(9 * 9 * 2 * 4, 1.f), weight(2 * 8 * 3 * 3 * 4, 1.f), y(9 * 9 * 2 * 8);
    float *x_gpu, *weight_gpu, *y_gpu;
    hip_check_error(hipMalloc(reinterpret_cast<void**>(&x_gpu), x.size() * sizeof(float)));
    hip_check_error(
        hipMalloc(reinterpret_cast<void**>(&weight_gpu), weight.size() * sizeof(float)));
    hip_check_error(hipMalloc(reinterpret_cast<void**>(&y_gpu), y.size() * sizeof(float)));
    hip_check_error(hipMemcpy(x_gpu, x.data(), x.size() * sizeof(float), hipMemcpyHostToDevice));
    hip_check_error(
        hipMemcpy(weight_gpu, weight.data(), weight.size() * sizeof(float), hipMemcpyHostToDevice));

    const auto argument = Operation::MakeArgument(x_gpu,
                                                  weight_gpu,
                                                  {}, // no D
                                                  y_gpu,
                                                  Sizes{2, 1, 4, 9, 9}, // X
                                                  Sizes{4, 648, 1, 72, 8},
                                                  Sizes{2, 8, 4, 3, 3}, // W
                                                  Sizes{288, 36, 1, 12, 4},
                                                  {}, // no D
                                                  {},
                                                  Sizes{2, 1, 8, 9, 9}, // Y
                                                  Sizes{8, 1296, 1, 144, 16},
                                                  Pair{1, 1}, // strides, dilations, pads
                                                  Pair{1, 1},
                                                  Pair{1, 1},
                                                  Pair{1, 1},
                                                  {},
                                                  {},
                                                  {});
    if(const ck::Support support = Operation::supports(argument); !support)
    {
        std::printf("not supported: %s\n", support.reason.c_str());
        return 1;
    }
    Operation::MakeInvoker().Run(argument);
    hip_check_error(hipMemcpy(y.data(), y_gpu, y.size() * sizeof(float), hipMemcpyDeviceToHost));
    for(float* buffer : {x_gpu, weight_gpu, y_gpu})
        (void)hipFree(buffer);

    // In the middle, 3 * 3 taps and 4 channels of ones meet; in the corner, 2 * 2 taps.
    const float middle = y[(4 * 9 + 4) * 16], corner = y[0];
    std::printf("y in the middle: %g, in the corner: %g\n", middle, corner);
    return middle == 36.f && corner == 16.f ? 0 : 1;
}
catch(const std::exception& e) // no GPU, for example
{
    std::printf("%s\n", e.what());
    return 1;
}
