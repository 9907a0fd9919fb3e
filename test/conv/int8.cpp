// int8 by specs: sums of any length are exact, results round to the nearest, ties to even, and
// saturate, in every direction.
#include "conv/convolution.hpp"
#include <cstdint>
#include <random>

namespace ck::conv_test::int8 {
namespace {

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

ConvSpec spec_of(Direction direction, float scale)
{
    return {.direction = direction,
            .type      = DataType::i8,
            .input     = {1, 1},
            .filter    = {1, 1},
            .epilogue  = {.scale = scale}};
}

/// 1x1 with one pixel; backward weight has one channel each and `products` pixels. One tensor is
/// all `value`, the other `other`. The first element of the result.
int result(ConvSpec spec,
           long_index_t products,
           int value,
           int other,
           std::size_t workspace_limit = SIZE_MAX)
{
    const bool weight = spec.direction == Direction::backward_weight;
    spec.k            = spec.direction == Direction::backward_data ? products : 1;
    spec.c            = spec.direction == Direction::forward ? products : 1;
    spec.input        = {1, weight ? products : 1};
    const auto count  = static_cast<std::size_t>(products);
    DeviceMem large(count), small(count), of_result(1);
    large.ToDevice(std::vector<std::int8_t>(count, static_cast<std::int8_t>(value)).data());
    small.ToDevice(std::vector<std::int8_t>(count, static_cast<std::int8_t>(other)).data());
    const std::int8_t before = 77;
    of_result.ToDevice(&before);
    const ConvPlan p = plan(spec, {.workspace_limit = workspace_limit});
    const DeviceMem workspace(p.workspace_size());
    void *a = large.GetDeviceBuffer(), *b = small.GetDeviceBuffer(),
         *r = of_result.GetDeviceBuffer();
    p.run({.x         = spec.direction == Direction::backward_data ? r : a,
           .w         = weight ? r : b,
           .y         = spec.direction == Direction::forward         ? r
                        : spec.direction == Direction::backward_data ? a
                                                                     : b,
           .workspace = workspace.GetDeviceBuffer()});
    std::int8_t got = 0;
    of_result.FromDevice(&got);
    return got;
}

TEST(Int8, LongSumsOfForward)
{
    ConvSpec spec{.type     = DataType::i8,
                  .c        = 4096,
                  .input    = {7, 7},
                  .filter   = {7, 7},
                  .epilogue = {.scale = 5e-8f}};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const std::vector<std::int8_t> most(4096 * 49, 127);
    DeviceMem x(most.size()), w(most.size()), y(1);
    x.ToDevice(most.data());
    w.ToDevice(most.data());
    const ConvPlan p = plan(spec);
    const DeviceMem workspace(p.workspace_size());
    p.run({.x         = x.GetDeviceBuffer(),
           .w         = w.GetDeviceBuffer(),
           .y         = y.GetDeviceBuffer(),
           .workspace = workspace.GetDeviceBuffer()});
    std::int8_t got = 0;
    y.FromDevice(&got);
    EXPECT_EQ(got, 127); // 161.9
}

TEST(Int8, LongSumsAreExact)
{
    for(const Direction direction : directions)
    {
        ConvSpec spec = spec_of(direction, 0x1p-26f);
        if(!has_kernels(spec))
            GTEST_SKIP() << no_kernels;
        SCOPED_TRACE(name(direction));
        // 2^14 each: 2^31 / 2^26
        EXPECT_EQ(result(spec, 131072, -128, -128), 32);
        if(direction == Direction::backward_weight) // other passes use doubles only, slow on a CPU
        {
            EXPECT_EQ(result(spec, 262144, -128, -128), 64);
            EXPECT_EQ(result(spec, 262144, 64, -128), -32);
            EXPECT_EQ(result(spec, 131072, -128, -128, 0), 32); // runs without a workspace
        }
        spec.epilogue.scale = 1;
        EXPECT_EQ(result(spec, 132105, -128, 127), -128);
    }
}

TEST(Int8, RoundsTiesToEvenAndSaturates)
{
    for(const Direction direction : directions)
    {
        const ConvSpec spec = spec_of(direction, .5f);
        if(!has_kernels(spec))
            GTEST_SKIP() << no_kernels;
        SCOPED_TRACE(name(direction));
        for(const auto& [sum, expected] : {std::pair{1, 0}, // .5
                                           {3, 2},
                                           {-1, 0},
                                           {-5, -2},
                                           {7, 4},
                                           {-7, -4},
                                           {127, 64}})
            EXPECT_EQ(result(spec, 1, sum, 1), expected) << sum;
        EXPECT_EQ(result(spec_of(direction, 1), 3, 126, 1), 127);
        EXPECT_EQ(result(spec_of(direction, 1), 3, -126, 1), -128);
        EXPECT_EQ(result(spec, 3, 127, 1), 127);
        EXPECT_EQ(result(spec, 3, -127, 1), -128);
        EXPECT_EQ(result(spec, 5, -128, 1), -128);
    }
}

TEST(Int8, EpiloguesOfForward)
{
    int ran = 0;
    for(const float scale : {1.f, .5f, -.25f, .3f})
        for(const Activation activation : {Activation::none, Activation::relu, Activation::clamp})
            for(int operand = 0; operand < 5; ++operand)
            {
                ConvSpec spec = spec_of_rank(2);
                spec.type     = DataType::i8;
                spec.epilogue = {.scale = scale, .activation = activation};
                if(activation == Activation::clamp)
                    spec.epilogue.least = -3.5f, spec.epilogue.most = 6;
                spec.epilogue.bias     = operand == 1;
                spec.epilogue.residual = operand == 2   ? Residual::before_activation
                                         : operand == 3 ? Residual::after_activation
                                                        : Residual::none;
                spec.beta              = operand == 4 ? 1 : 0;
                if(operand >= 3 && activation != Activation::none)
                {
                    EXPECT_THROW(plan(spec), Refused);
                    continue;
                }
                if(!has_kernels(spec))
                    continue;
                const ConvPlan p = plan(spec);
                EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
                ++ran;
            }
    if(ran == 0)
        GTEST_SKIP() << no_kernels;
    EXPECT_EQ(ran, 4 * (5 + 3 + 3));
}

} // namespace
} // namespace ck::conv_test::int8
