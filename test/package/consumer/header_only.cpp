// Header-only use: one device operation with a tuning of your own, and no library to link.
#include "ck/ck.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <cstdio>
#include <exception>
#include <vector>

using ck::tensor_operation::element_wise::PassThrough;
using namespace ck::tensor_layout::convolution;

// A workgroup computes a 64x64 tile with four waves, by plain multiply-add: any GPU can, and the
// CPU.
constexpr ck::GemmTuning tuning{.block_tile  = {64, 64, 16},
                                .wave_m      = 32,
                                .wave_n      = 32,
                                .instruction = ck::arch::Matrix::dot_f32_8x4x1_f32,
                                .a_vector    = 4,
                                .b_vector    = 4,
                                .c_vector    = 4};

using Operation =
    ck::tensor_operation::device::DeviceConvNdBwdDataImplicitGemm<2, // spatial dimensions
                                                                  NHWC,
                                                                  KYXC,
                                                                  NHWK,
                                                                  float,
                                                                  float,
                                                                  float,
                                                                  PassThrough,
                                                                  PassThrough,
                                                                  PassThrough,
                                                                  tuning>;

int main()
try
{
    const ck::index_t n = 2, k = 8, c = 4, h = 9, w = 9; // a 3x3 filter, stride 1, padding 1
    std::vector<float> dx(n * h * w * c), weight(k * 3 * 3 * c, 1.f), dy(n * h * w * k, 1.f);

    float *dx_gpu, *weight_gpu, *dy_gpu;
    hip_check_error(hipMalloc(reinterpret_cast<void**>(&dx_gpu), dx.size() * sizeof(float)));
    hip_check_error(
        hipMalloc(reinterpret_cast<void**>(&weight_gpu), weight.size() * sizeof(float)));
    hip_check_error(hipMalloc(reinterpret_cast<void**>(&dy_gpu), dy.size() * sizeof(float)));
    hip_check_error(
        hipMemcpy(weight_gpu, weight.data(), weight.size() * sizeof(float), hipMemcpyHostToDevice));
    hip_check_error(hipMemcpy(dy_gpu, dy.data(), dy.size() * sizeof(float), hipMemcpyHostToDevice));

    const auto argument = Operation::MakeArgument(dx_gpu,
                                                  weight_gpu,
                                                  dy_gpu,
                                                  n,
                                                  k,
                                                  c,
                                                  {h, w},
                                                  {3, 3},
                                                  {h, w},
                                                  {1, 1},
                                                  {1, 1},
                                                  {1, 1},
                                                  {1, 1},
                                                  {},
                                                  {},
                                                  {});
    if(const ck::Support support = Operation::supports(argument); !support)
    {
        std::printf("not supported: %s\n", support.reason.c_str());
        return 1;
    }
    Operation::MakeInvoker().Run(argument);
    hip_check_error(hipMemcpy(dx.data(), dx_gpu, dx.size() * sizeof(float), hipMemcpyDeviceToHost));
    for(float* buffer : {dx_gpu, weight_gpu, dy_gpu})
        (void)hipFree(buffer);

    // In the middle, 3 * 3 taps and 8 channels of ones meet; in the corner, 2 * 2 taps.
    const float middle = dx[((0 * h + 4) * w + 4) * c], corner = dx[0];
    std::printf("dx in the middle: %g, in the corner: %g\n", middle, corner);
    return middle == 72.f && corner == 32.f ? 0 : 1;
}
catch(const std::exception& e) // no GPU, for example
{
    std::printf("%s\n", e.what());
    return 1;
}
