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

TEST(Reasons, NameTheWayOutForLargeImages)
{
    Family f{};
    f.direction = Direction::forward;
    f.a = f.b = f.c = "f16";
    EXPECT_EQ(way_out(f, problem_of(2, 1, 1 << 14)), "");
    EXPECT_NE(way_out(f, problem_of(4, 1, 1 << 14)).find("one image of the input spans 2147483648"),
              std::string::npos);
    EXPECT_NE(
        way_out(f, problem_of(2, 9, 1 << 14)).find("one image of the output spans 4831838208"),
        std::string::npos);
    EXPECT_NE(way_out(f, problem_of(2, 9, 1 << 14)).find("ck::distributed::SplitConvPlan"),
              std::string::npos);
    f.b = "f32"; // of backward weight X's type
    EXPECT_EQ(way_out(f, problem_of(2, 1, 1 << 14)), "");
    f.direction = Direction::backward_weight;
    EXPECT_NE(way_out(f, problem_of(2, 1, 1 << 14)).find("the input spans 2147483648"),
              std::string::npos);
    f.direction = Direction::backward_data;
    f.c         = "f32";
    EXPECT_NE(way_out(f, problem_of(2, 1, 1 << 14)).find("the input spans 2147483648"),
              std::string::npos);
}

} // namespace
} // namespace ck::tensor_operation::device::instance
