// Patches computed by kernels that treat a row of a patch as one pixel: exact integers in every
// direction, and problems that are not such patches.
#include "ck/host_utility/device_prop.hpp"

#include "library/tensor_operation_instance/patches.hpp"
#include "stand_in.hpp"

namespace ck::test::folded_width {
namespace {

using enum Direction;

constexpr const Layout& channels_last = layouts[1];

Ran run(Direction direction, const ConvProblem& p, std::string_view name = "FoldedWidth<")
{
    return run_all(family_of(direction), p, channels_last, name);
}

class FoldedWidth : public testing::TestWithParam<Direction>
{};
TEST_P(FoldedWidth, AreRight)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    for(const ConvProblem& p : {patches(2, 3), patches(2, 4), patches(1, 1), patches(2, 2, 3)})
        EXPECT_GE(run(GetParam(), p).right, 2);
}
TEST_P(FoldedWidth, AreFilledUpWhereTheyMakeNoVectors)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    const auto filled = [&](const ConvProblem& p) {
        return run(GetParam(), p, "FoldedWidth<PaddedChannelsLast<").right;
    };
    EXPECT_EQ(filled(patches(2, 3)), 0);
    EXPECT_EQ(filled(patches(2, 3, 3)) > 0, GetParam() != backward_data)
        << "groups, which rows of patches are of dX, are not filled up";
}
TEST_P(FoldedWidth, AreOfPatchesAlone)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    const auto offered = [&](const auto& change) {
        ConvProblem p = patches(2, 3);
        change(p);
        return run(GetParam(), p).all;
    };
    EXPECT_GT(offered([](ConvProblem&) {}), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.pad_low[2] = 4; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.stride[2] = 2; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.input[2] += 1; }), 0) << "a column that no patch has";
    EXPECT_EQ(offered([](ConvProblem& p) { p.groups = 2; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.filter[2] = p.stride[2] = 1; }), 0);
}
ConvProblem with_filter_that_covers_x()
{
    ConvProblem p = patches(2, 3);
    p.stride      = {1, 1, 1};
    p.input       = p.filter;
    return p;
}
TEST_P(FoldedWidth, AreOfFiltersThatCoverDx)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    const arch::Target target = current_target();
    const bool is_nvidia      = !arch::is_amd(target) && target != arch::Target::host;
    const Ran ran             = run(GetParam(), with_filter_that_covers_x());
    EXPECT_EQ(ran.all > 0, GetParam() == backward_data && !is_nvidia);
    EXPECT_EQ(ran.right >= 2, GetParam() == backward_data && !is_nvidia);
    for(const auto& change : {+[](ConvProblem& p) { p.pad_low[2] = 1; },
                              +[](ConvProblem& p) { p.input[2] += 1; },
                              +[](ConvProblem& p) { p.filter[2] -= 1; }})
    {
        ConvProblem p = with_filter_that_covers_x();
        change(p);
        EXPECT_EQ(run(GetParam(), p).all, 0);
    }
}
TEST(FoldedWidthOnNvidia, IsNotOfFiltersThatCoverDx)
{
    if(!stands_in("sm_90"))
        return;
    EXPECT_EQ(run(backward_data, with_filter_that_covers_x()).all, 0);
}
INSTANTIATE_TEST_SUITE_P(Directions,
                         FoldedWidth,
                         testing::Values(forward, backward_data, backward_weight),
                         name_of);

} // namespace
} // namespace ck::test::folded_width
