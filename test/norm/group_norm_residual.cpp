// Labels: emulated on two targets
// Norms of groups with a residual, of every type, compared with plain loops.
#include "norm/group_norm.hpp"
#include <limits>

namespace ck::group_norm_test {

TEST(GroupNormResidual, OfEveryActivation)
{
    for(const DataType type : types)
        for(const auto activation :
            {GroupNormActivation::none, GroupNormActivation::relu, GroupNormActivation::leaky_relu})
            for(const long_index_t channels : {7, 24})
                for(const bool d_residual : {true, false})
                    check(with_residual(spec_of(type, 2, 103, channels, channels == 7 ? 1 : 3),
                                        activation),
                          {.d_residual = d_residual});
}

TEST(GroupNormResidual, OfEverySlope)
{
    for(const DataType type : types)
        for(const double slope : {0.01, 0., 0.3, 1., 2.5})
        {
            GroupNormSpec spec = with_residual(instances_of(type, 2, 50, 20));
            spec.slope         = slope;
            check(spec);
            check(spec, {.d_residual = false});
        }
}

TEST(GroupNormResidual, OfChannelsAndInstances)
{
    for(const DataType type : types)
        for(const long_index_t channels : {1, 3, 32, 77, 132})
            for(const long_index_t pixels : {1, 90})
                check(with_residual(instances_of(type, 2, pixels, channels)));
}

TEST(GroupNormResidual, OfEveryAlignment)
{
    for(const DataType type : types)
        for(std::size_t alignment = size_of(type); alignment <= 16; alignment *= 2)
            for(const long_index_t channels : {4, 16, 20})
            {
                GroupNormSpec spec   = with_residual(spec_of(type, 2, 45, channels, 4));
                spec.alignment       = alignment;
                spec.parameters_as_x = channels == 16;
                check(spec);
            }
}

TEST(GroupNormResidual, WithoutWhatMayBeNull)
{
    for(const DataType type : types)
        for(int without = 0; without < 5; ++without)
            check(with_residual(spec_of(type, 2, 30, 12, 3), GroupNormActivation::relu),
                  {.weight     = without != 0,
                   .bias       = without != 1,
                   .d_weight   = without != 2 && without != 4,
                   .d_bias     = without < 3,
                   .d_residual = without != 4});
}

/// Where y is 0, the derivative is the slope; without a deviation y is the residual.
TEST(GroupNormResidual, OfSlopesAtZero)
{
    for(const DataType type : types)
    {
        GroupNormSpec spec = with_residual(instances_of(type, 1, 1, 4));
        spec.slope         = 0.5;
        GroupNorm g(spec, {.bias = false});
        const Reals added{-2, 0, 1, std::numeric_limits<Real>::infinity()};
        g.residual.write(added);
        g.dy.write(Reals(4, 4));
        g.plan.forward(g.tensors());
        g.plan.backward(g.tensors());
        EXPECT_EQ(g.y.read(), (Reals{-1, 0, 1, added[3]}));
        EXPECT_EQ(g.d_residual.read(), (Reals{2, 2, 4, 4}));
    }
}

TEST(GroupNormResidual, ThatIsNotFiniteStaysInItsElement)
{
    for(const DataType type : types)
    {
        GroupNorm g(with_residual(spec_of(type, 2, 9, 6, 2)));
        Reals added = g.values.residual;
        added[31]   = std::nan("");
        g.residual.write(added);
        g.plan.forward(g.tensors());
        const Reals y = g.y.read();
        for(std::size_t i = 0; i < y.size(); ++i)
            ASSERT_EQ(std::isnan(y[i]), i == 31) << i;
    }
}

TEST(GroupNormResidual, OfTheSameBitsInEveryCallAndInPlace)
{
    for(const long_index_t channels : {9, 64})
    {
        expect_same_bits(with_residual(spec_of(DataType::bf16, 2, 1500, channels, channels)));
        expect_same_bits(
            with_residual(spec_of(DataType::f32, 2, 300, channels, 1), GroupNormActivation::relu));
    }
}

} // namespace ck::group_norm_test
