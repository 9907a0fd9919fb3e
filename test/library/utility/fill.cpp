// Generators and fills: their ranges, types and repeatability; algorithms over ranges.
//
// Labels: not sanitized
#include "ck/library/utility/fill.hpp"

#include "ck/library/utility/algorithm.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/library/utility/host_tensor_generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using ck::type_convert;

template <class T, class G>
std::vector<double> generate(G g)
{
    Tensor<T> t({40, 25});
    t.GenerateTensorValue(g);
    return {t.template CopyAsType<double>().mData};
}

template <class T>
class Generators : public testing::Test
{};
using Types = testing::Types<float, double, ck::half_t, ck::bhalf_t, std::int8_t, std::int32_t>;
TYPED_TEST_SUITE(Generators, Types);

TYPED_TEST(Generators, Constants)
{
    using T = TypeParam;
    EXPECT_EQ(generate<T>(GeneratorTensor_0<T>{}), std::vector<double>(1000, 0.));
    EXPECT_EQ(generate<T>(GeneratorTensor_1<T>{}), std::vector<double>(1000, 1.));
    EXPECT_EQ(generate<T>(GeneratorTensor_1<T>{3}), std::vector<double>(1000, 3.));
}

TYPED_TEST(Generators, IntegersOfTheWholeRange)
{
    using T           = TypeParam;
    const auto values = generate<T>(GeneratorTensor_2<T>{-5, 5});
    EXPECT_EQ(std::set<double>(values.begin(), values.end()),
              (std::set<double>{-5, -4, -3, -2, -1, 0, 1, 2, 3, 4}));
    EXPECT_EQ(generate<T>(GeneratorTensor_2<T>{7, 7}),
              std::vector<double>(1000, 7.)); // must not divide by zero
}

TYPED_TEST(Generators, Diagonal)
{
    using T = TypeParam;
    Tensor<T> t({2, 3, 3});
    t.GenerateTensorValue(GeneratorTensor_Diagonal<T>{type_convert<T>(2)});
    t.ForEach([](const auto& self, const std::vector<std::size_t>& i) {
        EXPECT_EQ(type_convert<double>(self(i)), i[1] == i[2] ? 2. : 0.);
    });
}

TEST(GeneratorValues, DecimalsAreSpread)
{
    const auto values = generate<float>(GeneratorTensor_3<float>{-1.0, 3.0});
    EXPECT_GE(*std::min_element(values.begin(), values.end()), -1.);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), 3.);
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -.8);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 2.8);
    const auto small = generate<ck::bhalf_t>(GeneratorTensor_3<ck::bhalf_t>{-.5f, .5f});
    EXPECT_GE(*std::min_element(small.begin(), small.end()), -.5);
    EXPECT_LE(*std::max_element(small.begin(), small.end()), .5);
}

TEST(GeneratorValues, NormalNumbersRepeat)
{
    const auto values = generate<float>(GeneratorTensor_4<float>(10.f, 2.f));
    double mean = 0, variance = 0;
    for(const double v : values)
        mean += v / 1000;
    for(const double v : values)
        variance += (v - mean) * (v - mean) / 1000;
    EXPECT_NEAR(mean, 10, 4 * 2 / std::sqrt(1000.)); // 4 standard deviations of a mean of 1000
    EXPECT_NEAR(variance, 4, 4 * 4 * std::sqrt(2 / 1000.));
    EXPECT_EQ(values, generate<float>(GeneratorTensor_4<float>(10.f, 2.f)));
    EXPECT_NE(values, generate<float>(GeneratorTensor_4<float>(10.f, 2.f, 2)));
}

TEST(GeneratorValues, Patterns)
{
    Tensor<float> t({2, 3});
    t.GenerateTensorValue(GeneratorTensor_Checkboard{});
    EXPECT_EQ(t.mData, (std::vector<float>{1, -1, 1, -1, 1, -1}));
    t.GenerateTensorValue(GeneratorTensor_Sequential<1>{});
    EXPECT_EQ(t.mData, (std::vector<float>{0, 1, 2, 0, 1, 2}));
    Tensor<ck::bhalf_t> b({2});
    b.GenerateTensorValue(GeneratorTensor_Checkboard{}); // a float, converted by value
    EXPECT_EQ(b.mData, (std::vector<ck::bhalf_t>{0x3f80, 0xbf80}));
}

TEST(Fill, Sequences)
{
    std::vector<float> v(4);
    ck::utils::FillMonotonicSeq<float>{1.f, .5f}(v);
    EXPECT_EQ(v, (std::vector<float>{1, 1.5, 2, 2.5}));
    ck::utils::FillMonotonicSeq<float>{}(v.begin(), v.end());
    EXPECT_EQ(v, (std::vector<float>{0, 1, 2, 3}));
    Tensor<ck::bhalf_t> t({3});
    ck::utils::FillMonotonicSeq<ck::bhalf_t>{type_convert<ck::bhalf_t>(1),
                                             type_convert<ck::bhalf_t>(2)}(t);
    EXPECT_EQ(t.CopyAsType<float>().mData, (std::vector<float>{1, 3, 5}));
    ck::utils::FillConstant<float>{.5f}(v);
    EXPECT_EQ(v, std::vector<float>(4, .5f));
    EXPECT_EQ(type_convert<float>(ck::utils::FillMonotonicSeq<ck::bhalf_t>{}.step_), 1.f);
}

TEST(Fill, Distributions)
{
    std::vector<float> a(1000), b(1000);
    ck::utils::FillUniformDistribution<float>{-2.f, 2.f}(a);
    ck::utils::FillUniformDistribution<float>{-2.f, 2.f}(b.begin(), b.end());
    EXPECT_EQ(a, b);
    EXPECT_TRUE(std::all_of(a.begin(), a.end(), [](float x) { return -2 <= x && x <= 2; }));
    std::vector<std::int8_t> integers(1000);
    ck::utils::FillUniformDistributionIntegerValue<std::int8_t>{-2.f, 2.f}(integers);
    EXPECT_EQ(std::set<int>(integers.begin(), integers.end()), (std::set<int>{-2, -1, 0, 1, 2}));
}

TEST(Algorithm, OverRanges)
{
    std::array<ck::index_t, 3> a{};
    ck::ranges::copy(std::vector<std::size_t>{4, 5, 6}, a.begin());
    EXPECT_EQ(a, (std::array<ck::index_t, 3>{4, 5, 6}));
    ck::ranges::transform(a, a.begin(), [](int x) { return 2 * x; });
    EXPECT_EQ(a[2], 12);
    Tensor<float> t({2, 2});
    ck::ranges::fill<float>(t, 3);
    EXPECT_EQ(t.mData, std::vector<float>(4, 3.f));
    static_assert(ck::ranges::is_range_v<Tensor<float>> && !ck::ranges::is_range_v<int>);
    static_assert(ck::ranges::is_sized_range_v<std::vector<int>>);
}

} // namespace
