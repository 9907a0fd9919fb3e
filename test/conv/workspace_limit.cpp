// The default limit of a plan's workspace: a quarter of its tensors, at least 256 MiB. Plans of
// large tensors need no memory: nothing is run.
#include "ck/conv.hpp"

#include <gtest/gtest.h>

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include <algorithm>
#include <limits>

namespace ck::conv_test {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t mebibyte = std::size_t{1} << 20;

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

std::size_t limit_of(const ConvSpec& spec)
{
    return std::max(256 * mebibyte, (spec.x_bytes() + spec.w_bytes() + spec.y_bytes()) / 4);
}

/// 1024 images of 1024x1024 with one channel: kernels on copies fill up the channels.
ConvSpec one_channel(DataType type)
{
    return {.type = type, .n = 1024, .k = 1, .c = 1, .input = {1024, 1024}, .filter = {1, 1}};
}

std::vector<ConvSpec> large_specs()
{
    ConvSpec channels_first{.type   = DataType::f32,
                            .layout = Layout::channels_first,
                            .n      = 64,
                            .k      = 64,
                            .c      = 96,
                            .input  = {512, 512},
                            .filter = {1, 1}};
    ConvSpec not_cut = channels_first; // dW of int8 saturates: it is not a sum over pieces
    not_cut.type     = DataType::i8;
    not_cut.filter   = {3, 3};
    ConvSpec tf32x3{.n = 1024, .k = 8, .c = 8, .input = {512, 512}, .filter = {3, 3}};
    return {
        one_channel(DataType::f16), one_channel(DataType::f32), channels_first, tf32x3, not_cut};
}

} // namespace

TEST(WorkspaceLimit, IsAQuarterOfTheTensorsByDefault)
{
    int wanted_more = 0, said = 0;
    for(ConvSpec spec : large_specs())
        for(const Direction direction : directions)
        {
            spec.direction = direction;
            if(!has_kernels(spec))
                continue;
            const ConvPlan p = plan(spec), free = plan(spec, {.workspace_limit = no_limit});
            EXPECT_LE(p.workspace_size(), limit_of(spec)) << p.explain();
            if(free.workspace_size() <= limit_of(spec))
            {
                EXPECT_EQ(p.kernel(), free.kernel()) << "the limit takes nothing away";
                continue;
            }
            ++wanted_more;
            const double cycles = conv::predicted_cycles(*conv::prepare_quietly(spec, {})),
                         best   = conv::predicted_cycles(
                             *conv::prepare_quietly(spec, {.workspace_limit = no_limit}));
            ASSERT_GT(best, 0);
            const bool is_said =
                p.explain().find("with a PlanOptions::workspace_limit above the default of " +
                                 std::to_string(limit_of(spec)) + " bytes") != std::string::npos;
            EXPECT_EQ(is_said, cycles == 0 || cycles > 1.05 * best) << p.explain();
            if(!is_said)
                continue;
            ++said;
            EXPECT_NE(p.explain().find("of " + std::to_string(free.workspace_size()) +
                                       " bytes of workspace"),
                      std::string::npos)
                << p.explain();
        }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(wanted_more, 4);
    EXPECT_GE(said, 1);
#endif
    std::printf("%d plans wanted more, %d of them say so\n", wanted_more, said);
}

TEST(WorkspaceLimit, IsAtLeast256MiB)
{
    ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const auto limit = [](const ConvSpec& of, const PlanOptions& options) {
        return conv::workspace_limit(conv::resolve(of), options);
    };
    EXPECT_EQ(limit(spec, {}), 256 * mebibyte);
    EXPECT_EQ(limit(spec, {.workspace_limit = 7}), 7u);
    spec.input = {8000, 8000};
    spec.n     = 64;
    EXPECT_GT(limit(spec, {}), 256 * mebibyte);
    EXPECT_EQ(limit(spec, {}), limit_of(spec));
    const std::size_t plain = limit(spec, {});
    spec.epilogue.residual  = Residual::before_activation;
    EXPECT_EQ(limit(spec, {}), plain + spec.y_bytes() / 4) << "a residual is a tensor, too";
}

TEST(WorkspaceLimit, GivesWayIfNoKernelKeepsToIt)
{
    int gave_way  = 0;
    ConvSpec spec = large_specs()[2];
    for(const Direction direction : directions)
    {
        spec.direction = direction;
        const PlanOptions copies{.allow = "^ChannelsLast<"};
        if(!has_kernels(spec))
            continue;
        std::size_t least = no_limit;
        std::string first; // of the kernels that want the least
        for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, copies))
            if(c.kernel.starts_with("ChannelsLast<") && c.workspace > 0)
            {
                if(c.workspace < least)
                    first = c.kernel;
                least = std::min(least, c.workspace);
                EXPECT_NE(c.why_not.find("workspace_limit is " + std::to_string(limit_of(spec)) +
                                         " by default"),
                          std::string::npos)
                    << c.why_not;
            }
        if(least == no_limit)
            continue;
        const ConvPlan p = plan(spec, copies);
        EXPECT_TRUE(p.kernel().starts_with("ChannelsLast<")) << p.kernel();
        EXPECT_GT(p.workspace_size(), limit_of(spec));
        EXPECT_LE(p.workspace_size(), least);
        if(direction != Direction::backward_weight) // asked again without partial sums
        {
            EXPECT_EQ(p.kernel(), first);
        }
        EXPECT_NE(
            p.explain().find(" bytes, more than the default PlanOptions::workspace_limit of " +
                             std::to_string(limit_of(spec)) + ", since"),
            std::string::npos)
            << p.explain();
        EXPECT_EQ(deserialize(p.serialize()).workspace_size(), p.workspace_size());
        PlanOptions given     = copies;
        given.workspace_limit = limit_of(spec);
        EXPECT_THROW(plan(spec, given), Refused) << "a caller's limit holds";
        ++gave_way;
    }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_EQ(gave_way, 3);
#else
    if(gave_way == 0)
        GTEST_SKIP() << no_kernels;
#endif
}

/// Images whose copies exceed a mebibyte, but not those of a few.
ConvSpec many_images(Direction direction, DataType type)
{
    return {.direction = direction,
            .type      = type,
            .layout    = Layout::channels_first,
            .n         = 22,
            .k         = 16,
            .c         = 24,
            .input     = {16, 32},
            .filter    = {1, 2},
            .pads      = {{0, 0}, {1, 0}}};
}

TEST(WorkspaceLimit, CutsBatchesAndImagesIntoPieces)
{
    int ran = 0;
    for(const Direction direction : directions)
        for(const bool one_image : {false, true})
        {
            ConvSpec spec = many_images(direction, DataType::f32);
            if(one_image)
            {
                spec.n     = 1;
                spec.input = {22 * 16, 32};
            }
            if(!has_kernels(spec))
                continue;
            const PlanOptions options{.workspace_limit = mebibyte, .allow = "ChannelsLast<"};
            ASSERT_GT(plan(spec, {.allow = "ChannelsLast<"}).workspace_size(), mebibyte);
            const ConvPlan p       = plan(spec, options);
            const std::string text = p.explain();
            EXPECT_TRUE(p.kernel().starts_with("CutImage<")) << text;
            EXPECT_LE(p.workspace_size(), mebibyte);
            EXPECT_NE(text.find(one_image ? "\n  cut: each image into "
                                          : "\n  cut: the images into 5 pieces, of at most 5: "),
                      std::string::npos)
                << text;
            EXPECT_NE(text.find(": pieces share a workspace within the limit"), std::string::npos)
                << text;
            EXPECT_EQ(text.find("without PlanOptions::workspace_limit 0 cycles"),
                      std::string::npos);
            EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << text;
            const ConvPlan again = deserialize(p.serialize());
            EXPECT_EQ(again.kernel(), p.kernel());
            EXPECT_EQ(again.workspace_size(), p.workspace_size());
            ++ran;
        }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_EQ(ran, 6);
#endif
}

TEST(WorkspaceLimit, LeavesPlansAloneThatKeepToIt)
{
    ConvSpec spec = many_images(Direction::forward, DataType::f16);
    spec.n        = 44;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan free = plan(spec, {.workspace_limit = no_limit});
    ASSERT_GT(free.workspace_size(), mebibyte);
    const ConvPlan p = plan(spec, {.workspace_limit = free.workspace_size()});
    EXPECT_EQ(p.kernel(), free.kernel());
    EXPECT_EQ(p.explain().find("\n  cut: "), std::string::npos);
    const ConvPlan by_default = plan(spec);
    EXPECT_EQ(by_default.kernel(), free.kernel());
}

} // namespace ck::conv_test
