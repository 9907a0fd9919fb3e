// A kernel whose blocks take more shared memory than the device has is refused before a launch.
//
// Labels: not sanitized
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "stand_in.hpp"
#include <string>
#include <vector>

namespace {

using namespace ck;
using tensor_operation::element_wise::PassThrough;
namespace layout = tensor_layout::convolution;

/// Three stages of (256 + 128) x 64 elements of two bytes: 144 KiB.
constexpr GemmTuning large{.block_tile  = {256, 128, 64},
                           .wave_m      = 64,
                           .wave_n      = 64,
                           .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                           .a_vector    = 8,
                           .b_vector    = 8,
                           .c_vector    = 8,
                           .pipeline    = Pipeline::async_copies,
                           .stages      = 3};
using Operation = tensor_operation::device::DeviceConvNdFwdImplicitGemm<2,
                                                                        layout::NHWC,
                                                                        layout::KYXC,
                                                                        layout::NHWK,
                                                                        half_t,
                                                                        half_t,
                                                                        half_t,
                                                                        PassThrough,
                                                                        PassThrough,
                                                                        PassThrough,
                                                                        large>;

/// Why a convolution of one pixel is refused; "" if it is not.
std::string reason()
{
    const std::vector<index_t> one{1, 1}, none{0, 0};
    alignas(16) half_t x[8]{}, w[64]{}, y[8]{};
    const auto argument = Operation{}.MakeArgumentPointer(
        x, w, y, 1, 8, 8, one, one, one, one, one, none, none, {}, {}, {});
    return Operation{}.WhyNotSupported(argument.get());
}

TEST(SharedMemory, IsWhatTheDeviceHas)
{
    if(!ck::test::stands_in("sm_80"))
        return;
    EXPECT_EQ(reason(), "");
}

TEST(SharedMemory, IsLessOnCardsForGraphics)
{
    if(!ck::test::stands_in("sm_86"))
        return;
    EXPECT_NE(reason().find(" bytes of LDS, but this device has 101376 for one"), std::string::npos)
        << reason();
}

TEST(SharedMemory, IsLessOnLaterCardsForGraphics)
{
    if(!ck::test::stands_in("sm_120"))
        return;
    EXPECT_NE(reason().find(" bytes of LDS, but this device has 101376 for one"), std::string::npos)
        << reason();
}

} // namespace
