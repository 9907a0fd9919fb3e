// Packed strides of every layout tag, against formulas written by hand.
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace ck::tensor_layout::convolution;
using namespace ck::utils::conv;
using Sizes = std::vector<std::size_t>;

constexpr std::size_t G = 2, N = 3, K = 4, C = 5, D = 6, H = 7, W = 8, Z = 2, Y = 3, X = 1;

ConvParam param(int rank, std::size_t groups = G)
{
    const auto last = [&](std::vector<ck::long_index_t> v) {
        return std::vector<ck::long_index_t>(v.end() - rank, v.end());
    };
    return {ck::long_index_t{rank},
            static_cast<ck::long_index_t>(groups),
            N,
            K,
            C,
            last({Z, Y, X}),
            last({D, H, W}),
            last({1, 1, 1}),
            last({1, 1, 1}),
            last({0, 0, 0}),
            last({1, 2, 0})}; // the output is as large as the input
}

template <class Layout>
Sizes input(int rank, std::size_t groups = G)
{
    return make_input_host_tensor_descriptor_g_n_c_wis_packed<Layout>(param(rank, groups))
        .GetStrides();
}
template <class Layout>
Sizes weight(int rank, std::size_t groups = G)
{
    return make_weight_host_tensor_descriptor_g_k_c_xs_packed<Layout>(param(rank, groups))
        .GetStrides();
}
template <class Layout>
Sizes output(int rank, std::size_t groups = G)
{
    return make_output_host_tensor_descriptor_g_n_k_wos_packed<Layout>(param(rank, groups))
        .GetStrides();
}

TEST(PackedDescriptor, Lengths)
{
    EXPECT_EQ(make_input_host_tensor_descriptor_g_n_c_wis_packed<NDHWGC>(param(3)).GetLengths(),
              (Sizes{G, N, C, D, H, W}));
    EXPECT_EQ(make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(param(2)).GetLengths(),
              (Sizes{G, K, C, Y, X}));
    EXPECT_EQ(make_output_host_tensor_descriptor_g_n_k_wos_packed<NWGK>(param(1)).GetLengths(),
              (Sizes{G, N, K, W}));
}

TEST(PackedDescriptor, Inputs3D)
{
    EXPECT_EQ(input<GNDHWC>(3), (Sizes{N * D * H * W * C, D * H * W * C, 1, H * W * C, W * C, C}));
    EXPECT_EQ(input<NDHWGC>(3), (Sizes{C, D * H * W * G * C, 1, H * W * G * C, W * G * C, G * C}));
    EXPECT_EQ(input<NGCDHW>(3), (Sizes{C * D * H * W, G * C * D * H * W, D * H * W, H * W, W, 1}));
    EXPECT_EQ(input<GNCDHW>(3), (Sizes{N * C * D * H * W, C * D * H * W, D * H * W, H * W, W, 1}));
    EXPECT_EQ(input<NDHWC>(3, 1),
              (Sizes{N * D * H * W * C, D * H * W * C, 1, H * W * C, W * C, C}));
}

TEST(PackedDescriptor, Weights3D)
{
    EXPECT_EQ(weight<GKZYXC>(3), (Sizes{K * Z * Y * X * C, Z * Y * X * C, 1, Y * X * C, X * C, C}));
    EXPECT_EQ(weight<KZYXGC>(3), (Sizes{C, Z * Y * X * G * C, 1, Y * X * G * C, X * G * C, G * C}));
    EXPECT_EQ(weight<GKCZYX>(3), (Sizes{K * C * Z * Y * X, C * Z * Y * X, Z * Y * X, Y * X, X, 1}));
    EXPECT_EQ(weight<KZYXC>(3, 1),
              (Sizes{K * Z * Y * X * C, Z * Y * X * C, 1, Y * X * C, X * C, C}));
}

TEST(PackedDescriptor, Outputs3D)
{
    EXPECT_EQ(output<GNDHWK>(3), (Sizes{N * D * H * W * K, D * H * W * K, 1, H * W * K, W * K, K}));
    EXPECT_EQ(output<NDHWGK>(3), (Sizes{K, D * H * W * G * K, 1, H * W * G * K, W * G * K, G * K}));
    EXPECT_EQ(output<NGKDHW>(3), (Sizes{K * D * H * W, G * K * D * H * W, D * H * W, H * W, W, 1}));
    EXPECT_EQ(output<GNKDHW>(3), (Sizes{N * K * D * H * W, K * D * H * W, D * H * W, H * W, W, 1}));
}

TEST(PackedDescriptor, OtherRanks)
{
    EXPECT_EQ(input<NHWGC>(2), (Sizes{C, H * W * G * C, 1, W * G * C, G * C}));
    EXPECT_EQ(input<NHWC>(2, 1), (Sizes{N * H * W * C, H * W * C, 1, W * C, C}));
    EXPECT_EQ(weight<KYXC>(2, 1), (Sizes{K * Y * X * C, Y * X * C, 1, X * C, C}));
    EXPECT_EQ(output<NHWK>(2, 1), (Sizes{N * H * W * K, H * W * K, 1, W * K, K}));
    EXPECT_EQ(output<NGKHW>(2), (Sizes{K * H * W, G * K * H * W, H * W, W, 1}));
    EXPECT_EQ(input<GNWC>(1), (Sizes{N * W * C, W * C, 1, C}));
    EXPECT_EQ(input<NGCW>(1), (Sizes{C * W, G * C * W, W, 1}));
    EXPECT_EQ(weight<GKXC>(1), (Sizes{K * X * C, X * C, 1, C}));
    EXPECT_EQ(output<NWGK>(1), (Sizes{K, W * G * K, 1, G * K}));
}

TEST(PackedDescriptor, RefusesLayoutsThatDoNotFit)
{
    const auto refused = [](auto f, const char* why) {
        try
        {
            f();
        }
        catch(const std::runtime_error& e)
        {
            return std::string(e.what()).find("unsupported layout") == 0 &&
                   std::string(e.what()).find(why) != std::string::npos;
        }
        return false;
    };
    EXPECT_TRUE(refused([] { input<NHWC>(2); }, "G is 2"));
    EXPECT_TRUE(refused([] { weight<KYXC>(2); }, "G is 2"));
    EXPECT_TRUE(refused([] { input<NHWGC>(3); }, "GNCDHW"));    // another rank
    EXPECT_TRUE(refused([] { input<NDHWGC>(2); }, "GNCHW"));    // another rank
    EXPECT_TRUE(refused([] { input<NHWGK>(2); }, "NHWGK"));     // another tensor
    EXPECT_TRUE(refused([] { weight<NHWGC>(2); }, "NHWGC"));    // another tensor
    EXPECT_TRUE(refused([] { input<G_NHW_C>(2); }, "G_NHW_C")); // it is not packed
    EXPECT_TRUE(refused([] { output<G_K>(2); }, "G_K"));
    EXPECT_TRUE(refused([] { output<GNHW>(2); }, "GNHW"));
}

} // namespace
