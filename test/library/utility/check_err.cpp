// check_err must find wrong results, and error_bound must hold and be tight enough to be useful.
#include "ck/library/utility/check_err.hpp"

#include "ck/library/utility/error_bound.hpp"
#include "ck/library/utility/host_tensor.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using ck::type_convert;
using ck::utils::check_err;
using ck::utils::error_bound;

constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
constexpr float inf_f = std::numeric_limits<float>::infinity();

TEST(CheckErr, EqualRangesPassSilently)
{
    testing::internal::CaptureStderr();
    EXPECT_TRUE(check_err(std::vector<float>{1, 2}, std::vector<float>{1, 2}));
    EXPECT_TRUE(check_err(std::vector<int>{}, std::vector<int>{}));
    EXPECT_TRUE(
        check_err(std::vector<ck::long_index_t>{3, 4}, std::vector<ck::index_t>{3, 4}, "lengths"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CheckErr, DefaultTolerancesByType)
{
    const auto passes = []<class T>(T out, T ref) {
        return check_err(std::vector<T>{out}, std::vector<T>{ref});
    };
    EXPECT_TRUE(passes(100.f + 5e-4f, 100.f));
    EXPECT_FALSE(passes(100.f + 2e-3f, 100.f));
    EXPECT_TRUE(passes(2e-6, 0.));
    EXPECT_FALSE(passes(4e-6, 0.));
    const auto half = [](float x) { return type_convert<ck::half_t>(x); };
    EXPECT_TRUE(passes(half(100.0625f), half(100.f)));
    EXPECT_FALSE(passes(half(100.125f), half(100.f)));
    const auto bhalf = [](float x) { return type_convert<ck::bhalf_t>(x); };
    EXPECT_FALSE(passes(bhalf(1.0078125f),
                        bhalf(1.f))); // a step of bf16, 2^-7, exceeds the tolerance
    EXPECT_TRUE(passes(bhalf(1.f), bhalf(1.f)));
    EXPECT_FALSE(passes(std::int8_t{1}, std::int8_t{2}));
    EXPECT_FALSE(passes(std::size_t{1}, std::size_t{2}));
}

TEST(CheckErr, IntegersAreExact)
{
    const std::vector<int> ref{1000000};
    EXPECT_FALSE(check_err(std::vector<int>{1000001}, ref, "rtol must not count", 1., 0.));
    EXPECT_TRUE(check_err(std::vector<int>{1000001}, ref, "atol does", 0., 1.));
    // Neighbours that a double cannot tell apart.
    using L = ck::long_index_t;
    EXPECT_FALSE(check_err(std::vector<L>{(L{1} << 60) + 1}, std::vector<L>{L{1} << 60}));
    EXPECT_FALSE(check_err(std::vector<L>{std::numeric_limits<L>::max()},
                           std::vector<L>{std::numeric_limits<L>::min()}));
}

TEST(CheckErr, NotANumberFails)
{
    for(const float wrong : {nan_f, inf_f, -inf_f})
    {
        EXPECT_FALSE(check_err(std::vector<float>{wrong}, std::vector<float>{1.f}));
        EXPECT_FALSE(check_err(std::vector<float>{1.f}, std::vector<float>{wrong}));
        EXPECT_FALSE(check_err(std::vector<float>{wrong}, std::vector<float>{wrong}));
        EXPECT_FALSE(
            check_err(std::vector<float>{wrong}, std::vector<float>{1.f}, "any bound", 1e30, 1e30));
        const auto b = type_convert<ck::bhalf_t>(wrong);
        EXPECT_FALSE(check_err(std::vector<ck::bhalf_t>{b}, std::vector<ck::bhalf_t>{b}));
    }
}

TEST(CheckErr, AnotherSizeFails)
{
    EXPECT_FALSE(check_err(std::vector<float>{1, 2}, std::vector<float>{1}));
    EXPECT_FALSE(check_err(std::vector<float>{}, std::vector<float>{1}));
}

TEST(CheckErr, PrintsTheFirstFourAndTheCount)
{
    testing::internal::CaptureStderr();
    Tensor<float> out({10}), ref({10});
    for(int i = 0; i < 5; ++i)
        out(2 * i) = static_cast<float>(i + 1);
    EXPECT_FALSE(check_err(out, ref, "Wrong!"));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("Wrong!"), std::string::npos);
    EXPECT_NE(text.find("out[0] != ref[0]: 1 != 0"), std::string::npos) << text;
    EXPECT_NE(text.find("out[6] != ref[6]: 4 != 0"), std::string::npos) << text;
    EXPECT_EQ(text.find("out[8]"), std::string::npos) << text;
    EXPECT_NE(text.find("max err: 5, number of errors: 5, 50% wrong values"), std::string::npos)
        << text;
}

TEST(ErrorBound, HoldsForFloatSums)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> distribution(-1.f, 1.f);
    for(int length : {1, 10, 1000})
        for(int trial = 0; trial < 100; ++trial)
        {
            float sum    = 0;
            double exact = 0, magnitudes = 0;
            for(int i = 0; i < length; ++i)
            {
                const float a = distribution(random), b = distribution(random);
                sum += a * b;
                exact += double(a) * double(b);
                magnitudes += std::abs(double(a) * double(b));
            }
            const double bound = error_bound<float, float, float>(length, magnitudes);
            ASSERT_LE(std::abs(double(sum) - exact), bound);
            ASSERT_LE(bound, (length + 2) * magnitudes * 0x1p-22); // and not too wide either
            const auto half = type_convert<ck::half_t>(sum);
            ASSERT_LE(std::abs(type_convert<double>(half) - exact),
                      (error_bound<float, float, ck::half_t>(length, magnitudes)));
        }
}

TEST(ErrorBound, FollowsTheTypes)
{
    EXPECT_EQ((error_bound<std::int8_t, std::int8_t, std::int32_t>(1000, 1e6)), 0.);
    // Rounding to Out dominates: half a unit in the last place.
    EXPECT_NEAR((error_bound<ck::half_t, ck::half_t, ck::half_t>(1, 1.)), 0x1p-11, 1e-6);
    EXPECT_NEAR((error_bound<ck::bhalf_t, ck::bhalf_t, ck::bhalf_t>(1, 1.)), 0x1p-8, 1e-6);
    // f32 data multiplied as tf32: two operands of 11 bits.
    EXPECT_NEAR((error_bound<float, ck::tf32_t, float>(1, 1.)), 0x1p-10, 1e-6);
    EXPECT_EQ((error_bound<ck::half_t, ck::half_t, float>(8, 1.)),
              (error_bound<ck::half_t, float, float>(8, 1.)));
    EXPECT_LT((error_bound<double, double, double>(1000, 1.)), 1e-12);
}

} // namespace
