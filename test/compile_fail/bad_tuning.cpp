// error: block_tile is not a whole number of wave tiles
// A tuning whose block tile is not a whole number of wave tiles.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

using ck::tensor_operation::element_wise::PassThrough;
namespace layout = ck::tensor_layout::convolution;

#ifdef CK_CONTROL
constexpr ck::index_t wave_m = 64;
#else
constexpr ck::index_t wave_m = 96;
#endif

constexpr ck::GemmTuning tuning{.block_tile  = {128, 128, 32},
                                .wave_m      = wave_m,
                                .wave_n      = 64,
                                .instruction = ck::arch::Matrix::mfma_f32_32x32x8_f16,
                                .a_vector    = 8,
                                .b_vector    = 8,
                                .c_vector    = 8};

template struct ck::tensor_operation::device::DeviceConvNdBwdDataImplicitGemm<2,
                                                                              layout::NHWC,
                                                                              layout::KYXC,
                                                                              layout::NHWK,
                                                                              ck::half_t,
                                                                              ck::half_t,
                                                                              ck::half_t,
                                                                              PassThrough,
                                                                              PassThrough,
                                                                              PassThrough,
                                                                              tuning>;
