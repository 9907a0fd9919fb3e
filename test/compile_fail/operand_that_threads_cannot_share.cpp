// error: the threads of a block cannot share the slice of an operand in whole vectors
// A tuning whose slice of W, 128 x 32 elements, cannot be shared by 384 threads.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

using ck::tensor_operation::element_wise::PassThrough;
namespace layout = ck::tensor_layout::convolution;

#ifdef CK_CONTROL
constexpr ck::index_t block_m = 128;
#else
constexpr ck::index_t block_m = 192; // 3 x 2 waves
#endif

constexpr ck::GemmTuning tuning{.block_tile  = {block_m, 128, 32},
                                .wave_m      = 64,
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
