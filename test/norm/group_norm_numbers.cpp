// Labels: emulated on two targets
// Forward and backward of every type, compared with plain loops.
#include "norm/group_norm.hpp"
#include <limits>

namespace ck::group_norm_test {

TEST(GroupNormNumbers, OfChannelsAndGroups)
{
    struct Case
    {
        long_index_t channels, groups;
    };
    for(const DataType type : types)
        for(const Case& c : {Case{1, 1}, {15, 5}, {24, 1}, {17, 17}, {64, 32}, {96, 32}, {130, 2}})
        {
            check(spec_of(type, 1, 331, c.channels, c.groups));
            for(const long_index_t images : {1, 3})
                for(const long_index_t pixels : {1, 2, 50})
                    check(spec_of(type, images, pixels, c.channels, c.groups));
        }
}

TEST(GroupNormNumbers, OfEveryActivation)
{
    for(const DataType type : types)
        for(const auto activation :
            {GroupNormActivation::none, GroupNormActivation::relu, GroupNormActivation::silu})
        {
            check(spec_of(type, 2, 103, 64, 32, activation));
            check(spec_of(type, 2, 103, 7, 1, activation));
        }
}

TEST(GroupNormNumbers, OfEverySlope)
{
    for(const DataType type : types)
        for(const double slope : {0.01, 0., 0.3, 1., 2.5, -0.7})
        {
            GroupNormSpec spec = spec_of(type, 2, 103, 24, 3, GroupNormActivation::leaky_relu);
            spec.slope         = slope;
            check(spec);
        }
}

TEST(GroupNormNumbers, OfInstances)
{
    for(const DataType type : types)
        for(const long_index_t channels : {3, 32, 77, 132})
            for(const long_index_t pixels : {1, 90})
                check(instances_of(type, 2, pixels, channels));
}

/// Where z is 0, the derivative is the slope.
TEST(GroupNormNumbers, OfSlopesAtZero)
{
    for(const DataType type : types)
    {
        GroupNorm g(instances_of(type, 2, 3, 5, 0.5), {.bias = false});
        g.x.write(Reals(g.elements, 1));
        g.dy.write(Reals(g.elements, 4));
        g.plan.forward(g.tensors());
        g.plan.backward(g.tensors());
        EXPECT_EQ(g.y.read(), Reals(g.elements, 0));
        EXPECT_EQ(g.d_bias.read(), Reals(g.channels, 2 * 3 * 4 * 0.5L));
    }
}

TEST(GroupNormNumbers, OfEveryAlignment)
{
    for(const DataType type : types)
        for(std::size_t alignment = size_of(type); alignment <= 16; alignment *= 2)
            for(const long_index_t channels : {4, 16, 20})
            {
                GroupNormSpec spec = spec_of(type, 2, 45, channels, 4);
                spec.alignment     = alignment;
                check(spec);
            }
}

TEST(GroupNormNumbers, OfParametersOfTheTypeOfX)
{
    for(const DataType type : types)
        for(const long_index_t channels : {6, 64})
        {
            GroupNormSpec spec   = spec_of(type, 2, 45, channels, channels / 2);
            spec.parameters_as_x = true;
            check(spec);
            check(spec, {.weight = false, .d_bias = false});
        }
}

TEST(GroupNormNumbers, WithoutWhatMayBeNull)
{
    for(const DataType type : types)
        for(int without = 0; without < 5; ++without)
            check(spec_of(type, 2, 30, 12, 3, GroupNormActivation::relu),
                  {.weight   = without != 0,
                   .bias     = without != 1,
                   .d_weight = without != 2 && without != 4,
                   .d_bias   = without < 3});
}

TEST(GroupNormNumbers, OfAMeanThatIsLargeBesideTheDeviation)
{
    for(const long_index_t channels : {5, 64})
    {
        const long_index_t groups = channels == 5 ? 1 : 32;
        check(spec_of(DataType::f32, 2, 700, channels, groups), {.mean = 1e4L, .deviation = 1e-2L});
        check(spec_of(DataType::f64, 2, 700, channels, groups), {.mean = 1e9L, .deviation = 1e-3L});
        check(spec_of(DataType::f16, 2, 700, channels, groups), {.mean = 1000, .deviation = 1});
    }
}

TEST(GroupNormNumbers, OfGroupsWithoutADeviation)
{
    for(const DataType type : types)
        check(spec_of(type, 2, 60, 16, 4), {.mean = 1000, .deviation = 0});
}

TEST(GroupNormNumbers, OfEpsilon)
{
    for(const double epsilon : {1e-3, 0.125})
    {
        GroupNormSpec spec = spec_of(DataType::f32, 2, 30, 8, 2);
        spec.epsilon       = epsilon;
        check(spec);
    }
}

TEST(GroupNormNumbers, ThatAreNotFiniteStayInTheirGroup)
{
    const Real inf = std::numeric_limits<Real>::infinity(), nan = std::nan("");
    for(const DataType type : types)
        for(const Real bad : {nan, inf, -inf})
            for(const std::size_t at : {0, 31}) // the group's first value, and another
                for(const auto activation : {GroupNormActivation::relu,
                                             GroupNormActivation::silu,
                                             GroupNormActivation::leaky_relu})
                {
                    GroupNorm g(spec_of(type, 2, 9, 6, 2, activation));
                    Reals x = g.values.x;
                    x[at]   = bad; // image 0; channels 0 and 1 are of group 0
                    g.x.write(x);
                    g.plan.forward(g.tensors());
                    const Reals y = g.y.read();
                    for(std::size_t i = 0; i < y.size(); ++i)
                        ASSERT_EQ(std::isnan(y[i]), i < 54 && i % 6 < 3) << i;
                    g.dy.write(Reals(y.size(), 1));
                    g.plan.backward(g.tensors());
                    const Reals dx = g.dx.read(), d_weight = g.d_weight.read();
                    for(std::size_t i = 0; i < dx.size(); ++i)
                        ASSERT_EQ(std::isnan(dx[i]), i < 54 && i % 6 < 3) << i;
                    for(std::size_t c = 0; c < 6; ++c)
                        ASSERT_EQ(std::isnan(d_weight[c]), c < 3) << c;
                }
}

TEST(GroupNormNumbers, OfTheSameBitsInEveryCallAndInPlace)
{
    for(const long_index_t channels : {9, 64})
        expect_same_bits(spec_of(DataType::bf16, 2, 1500, channels, channels == 9 ? 3 : 32));
}

} // namespace ck::group_norm_test
