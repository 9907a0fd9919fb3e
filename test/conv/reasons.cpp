// The order of reasons, and the way out.
#include "tensor_operation_instance/reasons.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device::instance {
namespace {

TEST(Reasons, StandInTheOrderOfHowNearKernelsCame)
{
    EXPECT_EQ(
        in_order(
            {{"Xdl<1>", "the device is sm_90a, but mfma_f32_32x32x8f16 needs MFMA"},
             {"Halo<1>", "this kernel is for groups of few channels"},
             {"Wgmma<1>", "Y spans 2147483648 bytes"},
             {"Mma<1>", "C is 3, not a multiple of 8"},
             {"Wgmma<2>", "Y spans 2147483648 bytes"},
             {"Mma<2>", "PlanOptions::allow does not match its name"},
             {"Wmma<1>", "the device is sm_90a, but wmma_f32_16x16x16 needs WMMA of gfx11"},
             {"Xdl<2>", "the device is sm_90a, but mfma_f32_16x16x16f16 needs MFMA"},
             {"Mma<3>", "it wants 9 bytes of workspace, but PlanOptions::workspace_limit is 0"}}),
        "\n  Mma<2>: PlanOptions::allow does not match its name"
        "\n  Mma<3>: it wants 9 bytes of workspace, but PlanOptions::workspace_limit is 0"
        "\n  Wgmma<1>: Y spans 2147483648 bytes"
        "\n  Wgmma<2>: Y spans 2147483648 bytes"
        "\n  Mma<1>: C is 3, not a multiple of 8"
        "\n  Halo<1>: this kernel is for groups of few channels"
        "\n  3 kernels of engines that this device lacks: MFMA (2), WMMA of gfx11 (1)");
    EXPECT_EQ(in_order({}), "");
}

/// Channels last, of one image.
ConvProblem problem_of(long_index_t c, long_index_t k, long_index_t length)
{
    ConvProblem p{};
    p.rank   = 2;
    p.groups = p.batch = 1;
    p.in_channels      = c;
    p.out_channels     = k;
    p.input            = {1, length, length};
    p.filter = p.stride = p.dilation = {1, 1, 1};
    set_packed_strides(p);
    return p;
}

TEST(Reasons, SayWhyLargeImagesAreNotCut)
{
    Family f{};
    f.direction = Direction::forward;
    f.a = f.b = f.c = "f16";
    EXPECT_EQ(way_out(f, problem_of(2, 1, 1 << 14)), "");
    EXPECT_EQ(way_out(f, problem_of(4, 1, 1 << 14)), "") << "it is cut";
    const long_index_t many = 1 << 30; // a pixel's take 2 GiB
    EXPECT_EQ(way_out(f, problem_of(many, 1, 2)),
              "\n  one image of the input spans 8589934592 bytes, but a launch reaches less than "
              "2^31, and images are not cut: no cut along D, H or W into at most 65536 pieces in "
              "all makes pieces that a launch reaches");
    EXPECT_NE(way_out(f, problem_of(2, many, 3)).find("one image of the output spans 19327352832"),
              std::string::npos);
    f.direction = Direction::backward_data;
    f.c         = "f32";
    EXPECT_NE(way_out(f, problem_of(many, 1, 2)).find("the input spans 17179869184"),
              std::string::npos);
    f.direction = Direction::backward_weight;
    f.a = f.b = f.c = "i8";
    EXPECT_EQ(way_out(f, problem_of(2, 1, 1 << 14)), "");
    EXPECT_NE(way_out(f, problem_of(8, 1, 1 << 14)).find("pieces of dW of i8 are rounded"),
              std::string::npos);
}

} // namespace
} // namespace ck::tensor_operation::device::instance
