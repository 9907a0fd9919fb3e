// Epilogues that are a launch of their own, after a kernel that stores plain sums: where they may
// be, where they may not, and how exact they are.
#include "conv/convolution.hpp"
#include <random>

namespace ck::conv_test {
namespace {

constexpr const char* separate = "^SeparateEpilogue<";

/// Two groups with a bias.
ConvSpec with_bias(DataType type, Layout layout = Layout::channels_last)
{
    ConvSpec spec      = spec_of_rank(2);
    spec.type          = type;
    spec.layout        = layout;
    spec.epilogue.bias = true;
    return spec;
}

std::string why_not_separate(const ConvSpec& spec, PlanOptions options = {})
{
    options.allow = separate;
    try
    {
        plan(spec, options);
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

constexpr DataType float_types[]{DataType::f64, DataType::f32, DataType::f16, DataType::bf16};

} // namespace

TEST(SeparateEpilogue, OfABiasWantsNoWorkspace)
{
    for(const DataType type : float_types)
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
            for(const bool transposed : {false, true})
            {
                ConvSpec spec   = with_bias(type, layout);
                spec.transposed = transposed;
                if(!has_kernels(spec))
                    continue;
                const ConvPlan p = plan(spec, {.workspace_limit = 0, .allow = separate});
                EXPECT_EQ(p.workspace_size(), 0u);
                EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
            }
}

TEST(SeparateEpilogue, ComputesAllEpiloguesOfBothDirections)
{
    int ran = 0;
    for(const DataType type : float_types)
        for(const Direction direction : {Direction::forward, Direction::backward_data})
            for(int which = 0; which < 48; ++which)
            {
                ConvSpec spec            = with_bias(type);
                spec.direction           = direction;
                spec.epilogue.bias       = which % 2 == 1;
                spec.epilogue.residual   = static_cast<Residual>(which / 2 % 3);
                spec.epilogue.activation = static_cast<Activation>(which / 6 % 5);
                if(spec.epilogue.activation == Activation::clamp)
                    spec.epilogue.least = -3, spec.epilogue.most = 20;
                spec.epilogue.scale = which >= 30 && type != DataType::f16 ? .5f : 1.f;
                if(spec.epilogue == Epilogue{} || !has_kernels(spec))
                    continue;
                const ConvPlan p = plan(spec, {.allow = separate});
                EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
                ++ran;
            }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(ran, 300);
#endif
}

TEST(SeparateEpilogue, AddsToWhatIsThereWhereThatIsRoundedOnce)
{
    for(const DataType type : float_types)
        for(const Direction direction :
            {Direction::forward, Direction::backward_data, Direction::backward_weight})
        {
            ConvSpec spec  = spec_of_rank(2);
            spec.type      = type;
            spec.direction = direction;
            spec.beta      = 1;
            if(type == DataType::f64 && direction == Direction::backward_weight)
                continue; // it has no operations
            if(!has_kernels(spec))
                continue;
            if(type == DataType::f16 || type == DataType::bf16)
            {
                EXPECT_NE(why_not_separate(spec).find("whose sums are rounded once"),
                          std::string::npos)
                    << why_not_separate(spec);
                continue;
            }
            const ConvPlan p = plan(spec, {.allow = separate});
            EXPECT_GT(p.workspace_size(), 0u);
            EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
            EXPECT_NE(why_not_separate(spec, {.workspace_limit = 0}).find("workspace"),
                      std::string::npos)
                << why_not_separate(spec, {.workspace_limit = 0});
        }
}

TEST(SeparateEpilogue, TakesTheResultForItsResidual)
{
    for(const DataType type : float_types)
    {
        ConvSpec spec          = with_bias(type);
        spec.epilogue.residual = Residual::after_activation;
        if(!has_kernels(spec))
            continue;
        const ConvPlan p = plan(spec, {.allow = separate});
        Convolution c(spec);
        ASSERT_EQ(c.mistakes(p), 0u) << p.explain();
        const std::vector<char> right = c.y.bytes;
        ConvTensors t                 = c.tensors(p);
        t.residual                    = t.y;
        c.y.memory.ToDevice(c.residual.bytes.data(), c.residual.bytes.size());
        p.run(t);
        c.y.read();
        EXPECT_EQ(c.y.bytes, right) << name(type);
    }
}

TEST(SeparateEpilogue, IsRefusedWhereSumsDoNotFitTheResult)
{
    ConvSpec spec       = with_bias(DataType::f16);
    spec.epilogue.scale = .5f;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    EXPECT_NE(why_not_separate(spec), "");
    spec           = with_bias(DataType::i8);
    const auto why = why_not_separate(spec);
    EXPECT_NE(why, "");
    EXPECT_EQ(why.find("\n  SeparateEpilogue<"), std::string::npos) << why; // none is offered
}

// |result - exact| is half a unit in the last place of the result, and of the stored sum, times the
// largest slope of the activation, besides the error of the sum itself.
TEST(SeparateEpilogue, IsOffByTheRoundingOfTheSum)
{
    constexpr double most_slope[]{1, 1, 1.1, 1.13, 1, 1, 1.5, 1, 1};
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for(const DataType type : {DataType::f16, DataType::bf16, DataType::f32, DataType::f64})
        for(const Activation activation : {Activation::none,
                                           Activation::relu,
                                           Activation::silu,
                                           Activation::gelu,
                                           Activation::leaky_relu,
                                           Activation::hard_swish,
                                           Activation::hard_sigmoid,
                                           Activation::sigmoid})
        {
            ConvSpec spec{
                .type = type, .n = 2, .k = 24, .c = 40, .input = {5, 5}, .filter = {1, 1}};
            spec.epilogue.bias       = true;
            spec.epilogue.activation = activation;
            if(activation == Activation::leaky_relu)
                spec.epilogue.slope = .1f;
            if(!has_kernels(spec))
                continue;
            Convolution c(spec);
            for(SpecTensor* const t : {&c.x, &c.w, &c.bias})
            {
                for(double& v : t->values.values)
                    v = t->rounded(normal(random));
                t->write();
            }
            c.spoil();
            const ConvPlan p = plan(spec, {.allow = separate});
            p.run(c.tensors(p));
            c.y.read();
            const double unit        = std::ldexp(1,
                                           type == DataType::f16    ? -11
                                                  : type == DataType::bf16 ? -8
                                                  : type == DataType::f32  ? -24
                                                                           : -53);
            const double stored_unit = type == DataType::f16 || type == DataType::bf16 ? unit : 0;
            const double acc_unit    = std::ldexp(1, type == DataType::f64 ? -53 : -24);
            double largest           = 0; // largest error over its bound
            c.y.values.for_each_offset(c.y.strides, [&](std::size_t i, std::size_t offset) {
                const std::size_t pixel = i % 25, k = i / 25 % 24, n = i / 600;
                double sum = 0, magnitude = 0;
                for(std::size_t channel = 0; channel < 40; ++channel)
                {
                    const double product = c.x.values.values[(n * 40 + channel) * 25 + pixel] *
                                           c.w.values.values[k * 40 + channel];
                    sum += product;
                    magnitude += std::abs(product);
                }
                const double before = sum + c.bias.values.values[k];
                const double exact  = activated(spec.epilogue, before);
                const double slope  = most_slope[static_cast<int>(activation)];
                // Sums of 40 products are off by 40 units; bias and activation by some more.
                const double bound =
                    slope * ((stored_unit + 64 * acc_unit) * magnitude +
                             16 * acc_unit * (1 + std::abs(before)) * (1 + std::abs(before))) +
                    unit * std::abs(exact) + unit * std::ldexp(1, -13);
                const double got = c.y.of.load(c.y.bytes.data() + offset * c.y.of.size);
                largest          = std::max(largest, std::abs(got - exact) / bound);
            });
            EXPECT_LE(largest, 1) << name(type) << ' ' << static_cast<int>(activation);
        }
}

// relu and clamp of a sum that is rounded before are rounded as after: rounding keeps order.
TEST(SeparateEpilogue, OfAClampAloneIsTheSameToTheBit)
{
    std::mt19937 random(8);
    std::normal_distribution<double> normal;
    for(const DataType type : {DataType::f16, DataType::bf16})
        for(const Activation activation : {Activation::relu, Activation::clamp})
        {
            ConvSpec spec{.type = type, .n = 1, .k = 16, .c = 7, .input = {9}, .filter = {3}};
            spec.epilogue.activation = activation;
            if(activation == Activation::clamp)
                spec.epilogue.least = -.3f, spec.epilogue.most = 1.7f;
            if(!has_kernels(spec))
                continue;
            Convolution c(spec);
            for(SpecTensor* const t : {&c.x, &c.w})
            {
                for(double& v : t->values.values)
                    v = normal(random);
                t->write();
            }
            std::vector<std::vector<char>> bits;
            for(const char* const allow : {"^Xdl<", "^SeparateEpilogue<Xdl<"})
            {
                c.spoil();
                const ConvPlan p = plan(spec, {.allow = allow});
                p.run(c.tensors(p));
                c.y.read();
                bits.push_back(c.y.bytes);
            }
            EXPECT_EQ(bits[0], bits[1]) << name(type);
        }
}

} // namespace ck::conv_test
