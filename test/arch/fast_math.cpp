// The fast functions of float, and what is computed with them, within the errors that they state,
// on the device.
#include "ck/arch/fast_math.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/element/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ck::arch {
namespace {

using namespace tensor_operation::element_wise::detail;

struct Results
{
    float exponential, reciprocal, sigmoid, normal_cdf;
};

struct OfEach
{
    static constexpr index_t block_size            = 64;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    struct Params
    {
        const float* x;
        Results* result;
    };
    struct SharedStorage
    {};

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const index_t i = arch::block_index() * block_size + arch::thread_index();
        const float x   = p.x[i];
        p.result[i]     = {fast_exp(x), fast_reciprocal(x), sigmoid(x), normal_cdf(x)};
    }
};

/// x, whose number is a multiple of the block size.
std::vector<Results> on_device(const std::vector<float>& x)
{
    std::vector<Results> result(x.size());
    const DeviceMem from(x.size() * sizeof(float)), to(x.size() * sizeof(Results));
    from.ToDevice(x.data());
    HIP_CHECK_ERROR(arch::launch<OfEach>(static_cast<index_t>(x.size()) / OfEach::block_size,
                                         nullptr,
                                         {static_cast<const float*>(from.GetDeviceBuffer()),
                                          static_cast<Results*>(to.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    to.FromDevice(result.data());
    return result;
}

TEST(FastMath, IsAsExactAsItSays)
{
    std::vector<float> x;
    for(int i = -1600; i < 1600; ++i)
        x.push_back(static_cast<float>(i + .37) / 18.7f); // to 85.5
    const auto result  = on_device(x);
    const double least = std::numeric_limits<float>::min(); // below it a result may be 0
    for(std::size_t i = 0; i < x.size(); ++i)
    {
        const double of = x[i], unit = std::ldexp(1., -23), size = std::abs(of);
        const auto within = [&](float got, double exact, double roundings) {
            return std::abs(got - exact) <= roundings * unit * std::abs(exact) + least;
        };
        const double cdf = std::erfc(-of * M_SQRT1_2) / 2;
        EXPECT_TRUE(within(result[i].exponential, std::exp(of), 4 + size)) << of;
        EXPECT_TRUE(within(result[i].reciprocal, 1 / of, 1)) << of;
        EXPECT_TRUE(within(result[i].sigmoid, 1 / (1 + std::exp(-of)), of < 0 ? 8 + size : 4))
            << of;
        EXPECT_TRUE(within(result[i].normal_cdf, cdf, of < 0 ? 6 + of * of : 6)) << of;
    }
}

TEST(FastMath, KeepsInfinityAndNaN)
{
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    std::vector<float> x(OfEach::block_size, 0.f);
    x[0] = infinity, x[1] = -infinity, x[2] = nan, x[3] = 3e38f, x[4] = -3e38f;
    const auto result = on_device(x);
    for(const std::size_t large : {0, 3})
    {
        EXPECT_EQ(result[large].exponential, infinity);
        EXPECT_NEAR(result[large].reciprocal, 0, 1e-37);
        EXPECT_EQ(result[large].sigmoid, 1);
        EXPECT_EQ(result[large].normal_cdf, 1);
    }
    for(const std::size_t small : {1, 4})
    {
        EXPECT_EQ(result[small].exponential, 0);
        EXPECT_NEAR(result[small].reciprocal, 0, 1e-37);
        EXPECT_EQ(result[small].sigmoid, 0);
        EXPECT_EQ(result[small].normal_cdf, 0);
    }
    EXPECT_TRUE(std::isnan(result[2].exponential) && std::isnan(result[2].reciprocal) &&
                std::isnan(result[2].sigmoid) && std::isnan(result[2].normal_cdf));
}

} // namespace
} // namespace ck::arch
