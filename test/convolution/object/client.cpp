// A client's source, written from the interface's facts alone: types by their full names, a kernel
// of its own, the order of the calls. One source for all platforms.
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "lib/conv_backprop/conv3d_bp_input_api.h"
#include <cstdint>
#include <vector>

namespace client {

using WeightType = ConvBackpropApi::
    ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, bfloat16_t>;
using InputSizeType =
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::ND, int32_t>;
using GradOutputType = ConvBackpropApi::
    ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, bfloat16_t>;
using GradInputType = ConvBackpropApi::
    ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NCDHW, bfloat16_t>;
static_assert(WeightType::pos == ConvCommonApi::TPosition::GM &&
              GradInputType::format == ConvCommonApi::ConvFormat::NCDHW);
static_assert(std::is_same_v<WeightType::T, bfloat16_t>);

// Both ways to name the object are the same type.
using Object =
    ConvBackpropApi::Conv3DBackpropInput<WeightType, InputSizeType, GradOutputType, GradInputType>;
static_assert(
    std::is_same_v<Object,
                   ConvBackpropApi::Conv3DBpInputIntf<
                       ConvBackpropApi::Conv3DBpInputCfg<WeightType,
                                                         InputSizeType,
                                                         GradOutputType,
                                                         GradInputType,
                                                         ConvBackpropApi::CONV3D_CFG_DEFAULT>,
                       ConvBackpropApi::Conv3DBpInputImpl>>);
static_assert(
    std::is_base_of_v<
        ConvBackpropApi::ConvBpContext<WeightType, InputSizeType, GradOutputType, GradInputType>,
        ConvBackpropApi::
            Conv3DBpInputCfg<WeightType, InputSizeType, GradOutputType, GradInputType>>);

/// A workgroup for each image: the image in two shares of the object.
CONV_BACKPROP_KERNEL void
conv(CONV_BACKPROP_PARAMETER ConvBackpropApi::TConv3DBackpropInputTiling tiling,
     bfloat16_t* gradOutput,
     bfloat16_t* weight,
     bfloat16_t* gradInput)
{
    ConvCommonApi::GlobalTensor<bfloat16_t> gradOutputGm, weightGm, gradInputGm;
    gradOutputGm.SetGlobalBuffer(gradOutput);
    weightGm.SetGlobalBuffer(weight);
    gradInputGm.SetGlobalBuffer(gradInput);
    const uint64_t image   = ConvBackpropApi::GetBlockIdx();
    const uint64_t offsetA = image * 2 * 1 * 3 * 4 * 16, offsetC = image * 10 * 2 * 5 * 6;

    Object gradInput_;
    gradInput_.Init(&tiling);
    for(int32_t hi = 0; hi < 10; hi += 7) // two rows of 5: 7, then 3
    {
        gradInput_.SetSingleShape((hi == 0 ? 7 : 3) * 6, 16 * 3 * 3, 10);
        gradInput_.SetStartPosition(static_cast<uint32_t>(hi / 5), hi % 5 - 2);
        gradInput_.SetGradOutput(gradOutputGm[offsetA]);
        gradInput_.SetWeight(weightGm[0]);
        gradInput_.ctx.isFirstIter_ = true;
        while(gradInput_.Iterate<true>(false))
            gradInput_.GetTensorC(gradInputGm[offsetC], 0, false);
    }
    gradInput_.End();
}

TEST(ObjectClient, WrittenFromTheFacts)
{
    using ConvCommonApi::TPosition;
    const ConvBackpropApi::Platform platform = ConvBackpropApi::Platform::current();
    ConvBackpropApi::Conv3DBpInputTiling tiling(platform);
    ASSERT_TRUE(tiling.SetWeightType(
        TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, ConvCommonApi::ConvDtype::BF16));
    ASSERT_TRUE(tiling.SetGradOutputType(
        TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, ConvCommonApi::ConvDtype::BF16));
    ASSERT_TRUE(tiling.SetGradInputType(
        TPosition::GM, ConvCommonApi::ConvFormat::NCDHW, ConvCommonApi::ConvDtype::BF16));
    ASSERT_TRUE(tiling.SetWeightShape(16, 10, 1, 3, 3));
    ASSERT_TRUE(tiling.SetGradOutputShape(3, 16, 2, 3, 4));
    ASSERT_TRUE(tiling.SetInputShape(3, 10, 2, 5, 6));
    ASSERT_TRUE(tiling.SetPadding(0, 0, 0, 0, 0, 0));
    ASSERT_TRUE(tiling.SetStride(1, 1, 1));
    ASSERT_TRUE(tiling.SetDilation(1, 1, 1));
    ConvBackpropApi::TConv3DBackpropInputTiling data;
    ASSERT_EQ(tiling.GetTiling(data), 0) << tiling.GetReason();

    // All operands are ones: an element of dX is 16 times the number of windows that meet it.
    const auto ones           = [](std::size_t n) { return std::vector<bfloat16_t>(n, 0x3f80); };
    const std::size_t dy_size = 3 * 2 * 3 * 4 * 16, w_size = 3 * 3 * 16 * 16,
                      dx_size = 3 * 10 * 2 * 5 * 6;
    const DeviceMem dy(2 * dy_size), w(2 * w_size), dx(2 * dx_size);
    dy.ToDevice(ones(dy_size).data());
    w.ToDevice(ones(w_size).data());
    dx.SetZero();
    const auto pointer = [](const DeviceMem& m) {
        return static_cast<bfloat16_t*>(m.GetDeviceBuffer());
    };
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    ASSERT_EQ(ConvBackpropApi::AllowLds(data, conv), hipSuccess);
    conv<<<3, data.threads(), data.ldsBytes()>>>(data, pointer(dy), pointer(w), pointer(dx));
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
#else
    ASSERT_EQ(ck::arch::launch_function(conv,
                                        3,
                                        static_cast<int>(data.threads()),
                                        data.ldsBytes(),
                                        nullptr,
                                        data,
                                        pointer(dy),
                                        pointer(w),
                                        pointer(dx)),
              hipSuccess);
#endif
    std::vector<bfloat16_t> result(dx_size);
    dx.FromDevice(result.data());
    std::size_t i = 0;
    for(int n = 0; n < 3 * 10 * 2; ++n)
        for(int h = 0; h < 5; ++h)
            for(int x = 0; x < 6; ++x)
            {
                const auto windows = [](int at, int out) {
                    return std::min(at, out - 1) - std::max(at - 2, 0) + 1;
                };
                ASSERT_EQ(ck::type_convert<float>(result[i++]),
                          static_cast<float>(16 * windows(h, 3) * windows(x, 4)))
                    << n << ' ' << h << ' ' << x;
            }
}

} // namespace client
