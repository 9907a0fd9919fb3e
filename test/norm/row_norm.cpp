// Labels: emulated on two targets
// Layer norm and RMS norm over the channels of each pixel, forward and backward, compared with
// plain loops.
#include "norm/group_norm.hpp"
#include <limits>

namespace ck::group_norm_test {
namespace {

constexpr NormKind kinds[]{NormKind::layer, NormKind::rms, NormKind::l2};

} // namespace

TEST(RowNorm, OfChannels)
{
    for(const DataType type : types)
        for(const NormKind kind : kinds)
            for(const long_index_t channels : {1, 2, 7, 24, 64, 96, 130, 384, 515})
                for(const long_index_t pixels : {1, 43})
                    check(spec_of(kind, type, pixels, channels));
}

/// Threads of more than one wave have a row, or a row does not fit into their registers.
TEST(RowNorm, OfManyChannels)
{
    for(const DataType type : {DataType::f32, DataType::bf16})
        for(const NormKind kind : {NormKind::layer, NormKind::l2})
            for(const long_index_t channels : {1536, 4096, 4099, 8200, 20001})
                check(spec_of(kind, type, 3, channels));
}

TEST(RowNorm, OfImages)
{
    GroupNormSpec spec = spec_of(NormKind::layer, DataType::f16, 57, 32);
    spec.images        = 3;
    check(spec);
}

TEST(RowNorm, OfEveryActivation)
{
    for(const DataType type : types)
        for(const auto activation :
            {GroupNormActivation::none, GroupNormActivation::relu, GroupNormActivation::leaky_relu})
            for(const long_index_t channels : {7, 48})
                check(spec_of(NormKind::layer, type, 31, channels, activation));
}

TEST(RowNorm, OfEveryAlignment)
{
    for(const DataType type : types)
        for(std::size_t alignment = size_of(type); alignment <= 16; alignment *= 2)
        {
            GroupNormSpec spec = spec_of(NormKind::layer, type, 19, 48);
            spec.alignment     = alignment;
            check(spec);
        }
}

TEST(RowNorm, OfParametersOfTheTypeOfX)
{
    for(const DataType type : types)
        for(const long_index_t channels : {6, 64})
        {
            GroupNormSpec spec   = spec_of(NormKind::rms, type, 45, channels);
            spec.parameters_as_x = true;
            check(spec);
            check(spec, {.weight = false, .d_bias = false});
        }
}

TEST(RowNorm, WithoutWhatMayBeNull)
{
    for(const NormKind kind : kinds)
        for(int without = 0; without < 5; ++without)
            check(spec_of(kind, DataType::f32, 30, 12, GroupNormActivation::none),
                  {.weight   = without != 0,
                   .bias     = without != 1,
                   .d_weight = without != 2 && without != 4,
                   .d_bias   = without < 3});
}

TEST(RowNorm, OfAMeanThatIsLargeBesideTheDeviation)
{
    for(const long_index_t channels : {5, 64, 1100})
    {
        check(spec_of(NormKind::layer, DataType::f32, 9, channels),
              {.mean = 1e4L, .deviation = 1e-2L});
        check(spec_of(NormKind::layer, DataType::f64, 9, channels),
              {.mean = 1e9L, .deviation = 1e-3L});
        check(spec_of(NormKind::layer, DataType::f16, 9, channels), {.mean = 1000, .deviation = 1});
    }
}

TEST(RowNorm, OfPixelsWithoutADeviation)
{
    for(const DataType type : types)
        for(const Real value : {0, 1000})
            for(const NormKind kind : kinds)
            {
                GroupNormSpec spec = spec_of(kind, type, 7, 16);
                spec.epsilon       = 0.25;
                GroupNorm g(spec);
                g.values.x = g.x.write(Reals(g.elements, value));
                g.check_forward();
                g.check_backward();
            }
}

/// Of the kind l2, shorter pixels have the deviation of one of this length, which is a constant.
TEST(RowNorm, OfEpsilon)
{
    for(const NormKind kind : kinds)
        for(const double epsilon : {1e-12, 0.125, 40.})
        {
            GroupNormSpec spec = spec_of(kind, DataType::f32, 30, 40);
            spec.epsilon       = epsilon;
            check(spec);
        }
}

TEST(RowNorm, ThatIsNotFiniteStaysInItsPixel)
{
    const Real inf = std::numeric_limits<Real>::infinity(), nan = std::nan("");
    for(const DataType type : types)
        for(const Real bad : {nan, inf})
            for(const std::size_t at : {12, 16})
            {
                GroupNorm g(spec_of(NormKind::layer, type, 9, 6));
                Reals x = g.values.x;
                x[at]   = bad; // of pixel 2
                g.x.write(x);
                g.plan.forward(g.tensors());
                const Reals y = g.y.read();
                g.dy.write(Reals(y.size(), 1));
                g.plan.backward(g.tensors());
                const Reals dx = g.dx.read(), d_weight = g.d_weight.read();
                for(std::size_t i = 0; i < y.size(); ++i)
                {
                    ASSERT_EQ(std::isnan(y[i]), i / 6 == 2) << i;
                    ASSERT_EQ(std::isnan(dx[i]), i / 6 == 2) << i;
                }
                for(const Real d : d_weight)
                    ASSERT_TRUE(std::isnan(d));
            }
}

TEST(RowNorm, OfTheSameBitsInEveryCallAndInPlace)
{
    for(const long_index_t channels : {9, 64, 1032, 9000})
        expect_same_bits(
            spec_of(NormKind::layer, DataType::bf16, channels < 100 ? 900 : 50, channels));
}

} // namespace ck::group_norm_test
