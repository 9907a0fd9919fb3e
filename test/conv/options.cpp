// Options of plans, their text, and what run() refuses.
#include "ck/version.h"

#include "conv/convolution.hpp"
#include "conv/fields.hpp"
#include "conv/prepared.hpp"
#include <algorithm>
#include <functional>
#include <string_view>
#include <type_traits>

namespace ck::conv_test {
namespace {

std::string refusal(const std::function<void()>& f)
{
    try
    {
        f();
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

#define EXPECT_REFUSED(call, why)                                                                  \
    EXPECT_NE(refusal([&] { static_cast<void>(call); }).find(why), std::string::npos)              \
        << refusal([&] { static_cast<void>(call); })

/// Backward weight that wants a workspace.
ConvSpec large_sum()
{
    ConvSpec spec  = spec_of_rank(2);
    spec.direction = Direction::backward_weight;
    spec.n         = 4;
    spec.input     = {12, 12};
    return spec;
}

} // namespace

TEST(Options, AllowAndForbidKernelsByName)
{
    const ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    std::size_t ran    = 0;
    const ConvPlan any = plan(spec);
    for(const char* const engine : {"Xdl", "Dl", "Mma", "Wmma"})
    {
        const PlanOptions allow{.allow = std::string("^") + engine + "<"};
        try
        {
            const ConvPlan p = plan(spec, allow);
            EXPECT_TRUE(p.kernel().starts_with(engine));
            EXPECT_EQ(Convolution(spec).mistakes(p), 0u);
            ++ran;
        }
        catch(const Refused& refused)
        {
            EXPECT_NE(std::string(refused.what()).find("PlanOptions::allow does not match"),
                      std::string::npos)
                << refused.what();
        }
    }
    EXPECT_GE(ran, 1u);
    const std::string engine = any.kernel().substr(0, any.kernel().find('<'));
    std::string other;
    const std::string why =
        refusal([&] { other = plan(spec, {.forbid = '^' + engine + '<'}).kernel(); });
    EXPECT_FALSE(other.starts_with(engine));
    EXPECT_TRUE(!other.empty() || why.find("PlanOptions::forbid matches") != std::string::npos);
    EXPECT_REFUSED(plan(spec, {.forbid = "."}), "PlanOptions::forbid matches its name");
    EXPECT_REFUSED(plan(spec, {.allow = "["}),
                   "allow is \"[\", but that is not a regular expression");
    EXPECT_REFUSED(plan(spec, {.allow = std::string(1001, 'x')}), "it has 1001 characters");
    EXPECT_REFUSED(plan(spec, {.allow = "(.*)*!"}), "PlanOptions::allow does not match its name");
}

TEST(Options, ThatMakeItSlowAreSaid)
{
    ConvSpec spec = spec_of_rank(2);
    spec.type     = DataType::f16;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const auto best = conv::prepare_quietly(spec, {});
    ASSERT_GT(conv::predicted_cycles(*best), 0);
    EXPECT_EQ(conv::slow_path(*best, 1), ""); // nothing could be different
    int slower = 0;
    for(const ConvKernel& kernel : kernels_of(best->resolved.family))
        try
        {
            const auto one =
                conv::prepare_quietly(spec, {.allow = "^" + kernel.name.substr(0, 12)});
            const double cycles = conv::predicted_cycles(*one);
            const double factor = cycles / conv::predicted_cycles(*best);
            if(cycles > 0 && factor <= 1)
                continue;
            const std::string text = conv::slow_path(*one, cycles > 0 ? factor * .99 : 10);
            EXPECT_NE(text.find("without PlanOptions::allow and forbid"), std::string::npos)
                << text;
            EXPECT_NE(text.find(best->work.kernel->name), std::string::npos) << text;
            EXPECT_NE(text.find(cycles > 0 ? " cycles predicted, but" : "cannot be predicted"),
                      std::string::npos)
                << text;
            if(cycles > 0)
                EXPECT_EQ(conv::slow_path(*one, factor * 1.01), "");
            else
                EXPECT_NE(ConvPlan(one).explain().find("\n  slow: "), std::string::npos);
            ++slower;
        }
        catch(const Refused&) // does not compute it
        {}
    EXPECT_GE(slower, 1);
}

/// With this factor, every way that exists is said.
TEST(Options, EachWayIsSaidWithItsTimeKernelAndWorkspace)
{
    constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
    ConvSpec plain                 = spec_of_rank(2);
    plain.type                     = DataType::f16;
    if(!has_kernels(plain))
        GTEST_SKIP() << no_kernels;
    struct Case
    {
        std::string how;
        ConvSpec spec;
        PlanOptions options;
        ConvSpec other;
        PlanOptions without;
    };
    ConvSpec unaligned = plain, first = plain;
    unaligned.alignment           = 2;
    first.layout                  = Layout::channels_first;
    const std::string limit       = std::to_string(conv::workspace_limit(conv::resolve(plain), {}));
    const PlanOptions any         = {.workspace_limit = no_limit};
    const std::vector<Case> cases = {
        {"with a PlanOptions::workspace_limit above the default of " + limit + " bytes",
         plain,
         {},
         plain,
         any},
        {"without PlanOptions::workspace_limit", plain, {.workspace_limit = 0}, plain, any},
        {"without PlanOptions::allow and forbid",
         plain,
         {.workspace_limit = no_limit, .allow = "<", .forbid = "nothing"},
         plain,
         any},
        {"without PlanOptions::batch_invariant",
         plain,
         {.workspace_limit = no_limit, .batch_invariant = true},
         plain,
         any},
        {"with addresses at multiples of 16", unaligned, any, plain, any},
        {"with Layout::channels_last", first, any, plain, any}};
    for(const Case& c : cases)
    {
        const auto one    = conv::prepare_quietly(c.spec, c.options),
                   other  = conv::prepare_quietly(c.other, c.without);
        const auto cycles = [](const auto& p) {
            return std::to_string(static_cast<long long>(conv::predicted_cycles(*p))) + " cycles";
        };
        EXPECT_EQ(conv::slow_path(*one, .001),
                  "  slow: " + cycles(one) + " predicted, but " + c.how + ' ' + cycles(other) +
                      ", by " + other->work.kernel->name + ", of " +
                      std::to_string(other->workspace) + " bytes of workspace\n");
    }
    EXPECT_EQ(conv::slow_path(*conv::prepare_quietly(plain, any), .001), "");
}

TEST(Options, ChannelsLastIsAWayForOtherLayoutsOnly)
{
    ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    for(const Layout layout : {Layout::channels_first, Layout::channels_last})
    {
        spec.layout = layout;
        // Names every way that takes less than 1000 times as long.
        const std::string text = conv::slow_path(*conv::prepare_quietly(spec, {}), .001);
        EXPECT_EQ(text.find("with Layout::channels_last ") == text.npos,
                  layout == Layout::channels_last)
            << text;
    }
}

TEST(Options, LimitTheWorkspace)
{
    const ConvSpec spec = large_sum();
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan any = plan(spec);
    ASSERT_GT(any.workspace_size(), 0u) << any.explain();
    for(const std::size_t limit : {any.workspace_size(), any.workspace_size() - 1, std::size_t{0}})
    {
        const ConvPlan p = plan(spec, {.workspace_limit = limit});
        EXPECT_LE(p.workspace_size(), limit);
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
    }
    EXPECT_EQ(plan(spec, {.workspace_limit = any.workspace_size()}).kernel(), any.kernel());
}

TEST(Text, OfAPlanMakesItAgain)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        ConvSpec spec  = large_sum();
        spec.direction = direction;
        if(!has_kernels(spec))
            continue;
        for(const PlanOptions& options : {PlanOptions{}, PlanOptions{.workspace_limit = 0}})
        {
            const ConvPlan p     = plan(spec, options);
            const ConvPlan again = deserialize(p.serialize());
            EXPECT_EQ(again.spec(), spec);
            EXPECT_EQ(again.kernel(), p.kernel());
            EXPECT_EQ(again.workspace_size(), p.workspace_size());
            EXPECT_EQ(again.serialize(), p.serialize());
            Convolution one(spec), two(spec);
            EXPECT_EQ(one.mistakes(p), 0u);
            EXPECT_EQ(two.mistakes(again), 0u);
        }
    }
}

TEST(Text, KeepsEveryFieldOfASpec)
{
    ConvSpec spec = spec_of_rank(2);
    spec.x_type = spec.w_type = spec.y_type = DataType::f32;
    spec.layout                             = Layout::strided;
    const auto strides                      = [](const TensorLengths& l) {
        return Strides{l[1] * l[2] * l[4] * l[5] * 3, l[2] * l[4] * l[5] * 2, 1, l[2] * l[5], l[2]};
    };
    const auto plain = [&] {
        ConvSpec s = spec;
        s.layout   = Layout::channels_last;
        return s;
    }();
    spec.x_strides = strides(Convolution::x_lengths(plain));
    spec.w_strides = strides(Convolution::w_lengths(plain));
    spec.y_strides = strides(Convolution::y_lengths(plain));
    spec.epilogue  = {.scale = .1f};
    spec.alignment = 4;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    EXPECT_EQ(deserialize(plan(spec).serialize()).spec(), spec);
}

TEST(Text, IsRefusedIfItIsNone)
{
    const ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const std::string good = plan(spec).serialize();
    EXPECT_REFUSED(deserialize(""), "the text is not of ConvPlan::serialize()");
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    EXPECT_REFUSED(deserialize(with("ck_conv_plan ", "ck_conv_plan 0.0.1 ")), "version 0.0.1");
    EXPECT_REFUSED(deserialize(with("type=", "typo=")), "ConvSpec has no such field");
    EXPECT_REFUSED(deserialize(with("type=f32", "type=f33")), "\"type=f33\", which is not a value");
    EXPECT_REFUSED(deserialize(with("k=16", "k=16k")), "\"k=16k\", which is not a value");
    EXPECT_REFUSED(deserialize(with("k=16", "k=-16")), "output channels K is -16");
    EXPECT_REFUSED(deserialize(with(" kernel=", " kernel=no ")), "another kernel is asked for");
    for(std::size_t i = 0; i < good.size(); ++i) // cut off anywhere: refused, or a plan
        EXPECT_NO_THROW(
            static_cast<void>(refusal([&] { static_cast<void>(deserialize(good.substr(0, i))); })));
}

/// A value is one of its own field's names: of no other field's, and none.
TEST(Text, IsRefusedWithNamesOfOtherFields)
{
    const ConvSpec plain;
    std::vector<std::string> names{""};
    conv::for_each_field(plain, [&]<class Field>(std::string_view, const Field&) {
        for(const std::string_view name : conv::names_of<Field>)
            names.emplace_back(name);
    });
    ASSERT_GT(names.size(), 20u);
    conv::for_each_field(plain, [&]<class Field>(std::string_view field, const Field&) {
        if constexpr(std::is_enum_v<Field>)
        {
            constexpr auto& own = conv::names_of<Field>;
            for(const std::string& name : names)
            {
                const std::string word = std::string(field) + '=' + name,
                                  why  = refusal([&] {
                                      static_cast<void>(deserialize("ck_conv_plan " CK_VERSION " " +
                                                                    word + " kernel=none"));
                                  });
                EXPECT_EQ(why.find("\"" + word + "\", which is not a value") != std::string::npos,
                          std::find(own.begin(), own.end(), name) == own.end())
                    << word << ": " << why;
            }
        }
    });
}

TEST(Run, RefusesWhatWouldGoWrong)
{
    const ConvSpec spec = large_sum();
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec);
    Convolution c(spec);
    const ConvTensors good = c.tensors(p);
    EXPECT_NO_THROW(p.run(good));
    const auto with = [&](auto field, const void* value) {
        ConvTensors t = good;
        t.*field      = value;
        return t;
    };
    const auto moved = [](const void* p, std::size_t bytes) {
        return static_cast<const char*>(p) + bytes;
    };
    EXPECT_REFUSED(p.run(with(&ConvTensors::x, nullptr)), "x is null, but has ");
    EXPECT_REFUSED(p.run(with(&ConvTensors::w, nullptr)), "w is null");
    EXPECT_REFUSED(p.run(with(&ConvTensors::y, moved(good.y, 4))),
                   "but must be at a multiple of 16 bytes (ConvSpec::alignment)");
    EXPECT_REFUSED(p.run(with(&ConvTensors::w, good.x)), "shares memory with x");
    EXPECT_REFUSED(
        p.run(with(&ConvTensors::bias, good.x)),
        "bias is given, but the spec has none (Epilogue::bias, ConvSpec::bias_gradient)");
    EXPECT_REFUSED(p.run(with(&ConvTensors::residual, good.x)),
                   "residual is given, but the spec has none (Epilogue::residual)");
    ConvTensors t = good;
    t.workspace   = nullptr;
    EXPECT_REFUSED(p.run(t), "workspace is null, but has ");
    t.workspace = const_cast<void*>(good.x);
    EXPECT_REFUSED(p.run(t), "workspace at ");
    t.workspace = static_cast<char*>(good.workspace) + 8;
    EXPECT_REFUSED(p.run(t), "workspace is at ");
}

} // namespace ck::conv_test
