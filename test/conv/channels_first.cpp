// Plans of channels-first tensors: on copies in the workspace, and without.
#include "conv/convolution.hpp"
#include "conv/prepared.hpp"

namespace ck::conv_test {
namespace {

const PlanOptions on_copies{.allow = "ChannelsLast<"};

ConvSpec channels_first(Direction direction)
{
    ConvSpec spec  = spec_of_rank(2);
    spec.direction = direction;
    spec.layout    = Layout::channels_first;
    return spec;
}

/// A convolution so large that copies take less time than they save; not run.
ConvSpec large(Direction direction)
{
    ConvSpec spec = channels_first(direction);
    spec.type     = DataType::f16;
    spec.groups   = 1;
    spec.n        = 64;
    spec.k = spec.c = 128;
    spec.input      = {28, 28};
    spec.filter     = {3, 3};
    spec.strides    = {};
    spec.pads       = {{1, 1}, {1, 1}};
    return spec;
}

/// Whether copies are chosen: a library of some kernels may have none with vectors.
bool is_layout_converted(const ConvPlan& p)
{
    const bool is = p.kernel().starts_with("ChannelsLast<");
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_TRUE(is) << p.explain();
#endif
    return is;
}

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

} // namespace

TEST(ChannelsFirst, IsPlannedOnCopiesWhereThatIsFaster)
{
    for(const Direction direction : directions)
    {
        const ConvSpec spec = large(direction);
        if(!has_kernels(spec))
            continue;
        const ConvPlan p       = plan(spec);
        const std::string text = p.explain();
        if(!is_layout_converted(p))
            continue;
        EXPECT_NE(text.find(direction == Direction::forward         ? "\n  copies: X, W, Y"
                            : direction == Direction::backward_data ? "\n  copies: dY, W, dX"
                                                                    : "\n  copies: dY, X, dW"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find(", transposed into the workspace, channels last; then "),
                  std::string::npos)
            << text;
        EXPECT_GE(p.workspace_size(), spec.x_bytes() + spec.y_bytes());
        const ConvPlan again = deserialize(p.serialize());
        EXPECT_EQ(again.kernel(), p.kernel());
        EXPECT_EQ(again.workspace_size(), p.workspace_size());
    }
}

TEST(ChannelsFirst, IsPlannedDirectlyWithoutAWorkspace)
{
    for(const Direction direction : directions)
    {
        const ConvSpec spec = large(direction);
        if(!has_kernels(spec))
            continue;
        const ConvPlan best = plan(spec);
        if(!is_layout_converted(best))
            continue;
        const PlanOptions forbidden{.forbid = "ChannelsLast<"};
        const std::size_t less = plan(spec, forbidden).workspace_size();
        EXPECT_LT(less, best.workspace_size());
        for(const PlanOptions& options : {PlanOptions{.workspace_limit = less}, forbidden})
        {
            const ConvPlan p       = plan(spec, options);
            const std::string text = p.explain();
            EXPECT_FALSE(p.kernel().starts_with("ChannelsLast<")) << text;
            EXPECT_EQ(text.find("\n  copies: "), std::string::npos) << text;
            EXPECT_NE(text.find("not " + best.kernel() + ": " +
                                (options.workspace_limit ? "it wants " : "PlanOptions::forbid")),
                      std::string::npos)
                << text;
            const auto prepared = conv::prepare_quietly(spec, options);
            const double factor = conv::predicted_cycles(*prepared) /
                                  conv::predicted_cycles(*conv::prepare_quietly(spec, {}));
            ASSERT_GT(factor, 1);
            const std::string slow = conv::slow_path(*prepared, factor * .99);
            EXPECT_NE(slow.find(options.workspace_limit ? "without PlanOptions::workspace_limit"
                                                        : "without PlanOptions::allow and forbid"),
                      std::string::npos)
                << slow;
            EXPECT_NE(slow.find(best.kernel()), std::string::npos) << slow;
        }
    }
}

TEST(ChannelsFirst, AllThatASpecSaysIsHonoured)
{
    std::vector<ConvSpec> specs;
    for(const Direction direction : directions)
    {
        const ConvSpec plain = channels_first(direction);
        for(const long_index_t channels : {3, 8}) // fill no vector, fill them
        {
            specs.push_back(plain);
            specs.back().groups = 1;
            specs.back().c      = channels;
            specs.back().k      = channels + 2;
            specs.push_back(specs.back());
            specs.back().transposed = true;
            specs.push_back(specs.back());
            specs.back().transposed = false;
            specs.back().beta       = 1;
            if(direction == Direction::backward_weight)
            {
                specs.push_back(specs.back());
                specs.back().bias_gradient = true;
                continue;
            }
            specs.push_back(specs.back());
            specs.back().beta     = 0;
            specs.back().epilogue = {.scale      = 2,
                                     .bias       = true,
                                     .residual   = Residual::before_activation,
                                     .activation = Activation::relu};
        }
        specs.push_back(plain);
        specs.back().alignment = 4;
        specs.push_back(plain);
        specs.back().n = 0;
    }
    int ran = 0;
    for(const ConvSpec& spec : specs)
        if(has_kernels(spec))
        {
            const ConvPlan p = plan(spec, on_copies);
            EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
            EXPECT_EQ(Convolution(spec).mistakes(deserialize(p.serialize())), 0u);
            ++ran;
        }
    EXPECT_GE(ran, 4);
}

TEST(ChannelsFirst, OneTensorAlone)
{
    ConvSpec spec    = channels_first(Direction::forward);
    spec.layout      = Layout::strided;
    const auto given = [&](const TensorLengths& l, Layout layout, bool filter) {
        const TensorStrides s = strides_of(layout, l, filter);
        return Strides{s[0], s[1], s[2], s[4], s[5]};
    };
    ConvSpec plain = channels_first(Direction::forward);
    spec.x_strides = given(Convolution::x_lengths(plain), Layout::channels_last, false);
    spec.w_strides = given(Convolution::w_lengths(plain), Layout::channels_last, true);
    spec.y_strides = given(Convolution::y_lengths(plain), Layout::channels_first, false);
    spec.epilogue  = {.residual = Residual::before_activation};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec, on_copies);
    EXPECT_NE(p.explain().find("\n  copies: D0, Y, transposed"), std::string::npos) << p.explain();
    EXPECT_EQ(Convolution(spec).mistakes(p), 0u);
    spec.y_strides = given(Convolution::y_lengths(plain), Layout::channels_last, false);
    EXPECT_THROW(plan(spec, on_copies), Refused);
}

} // namespace ck::conv_test
