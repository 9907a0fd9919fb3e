// Patches as rows of a matrix: exact integers in every direction, layout and type, and problems
// that are not patches.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test::im2col {
namespace {

using enum Direction;

constexpr std::string_view by_rows = "Im2col<";

/// Tubelets of three dimensions.
ConvProblem tubelets(long_index_t channels)
{
    ConvProblem p = patches(2, 3, channels);
    p.rank        = 3;
    p.filter[0] = p.stride[0] = 2;
    p.input[0]                = 4;
    return p;
}

class Im2col : public testing::TestWithParam<Direction>
{};
/// Rows of whole vectors, of words, and of single elements; with and without zeros after them.
TEST_P(Im2col, AreRight)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    ConvProblem odd = patches(2, 3, 3);
    odd.filter[2] = odd.stride[2] = 5;
    for(const ConvProblem& p :
        {patches(2, 4), patches(2, 3, 3), patches(2, 3, 1), patches(1, 1, 2), tubelets(3), odd})
        for(const Layout& layout : layouts)
        {
            SCOPED_TRACE(layout.name);
            EXPECT_GT(run_all(family_of(GetParam()), p, layout, by_rows).right, 0);
        }
}
TEST_P(Im2col, AreRightOfFloats)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of<float>(GetParam()));
    for(const ConvProblem& p : {patches(2, 4), patches(2, 3, 3), tubelets(1)})
        EXPECT_GT(run_all(family_of<float>(GetParam()), p, layouts[1], by_rows).right, 0);
}
TEST(Im2colOfWeights, HasSumsOfFloats)
{
    using Weights = ConvFamily<backward_weight, bhalf_t, bhalf_t, float>;
    CK_SKIP_IF_LIBRARY_LACKS(Weights::key());
    for(const ConvProblem& p : {patches(2, 4), patches(2, 3, 3), patches(2, 3, 1), tubelets(3)})
        for(const Layout& layout : layouts)
        {
            SCOPED_TRACE(layout.name);
            EXPECT_GT(run_all(Weights::key(), p, layout, by_rows).right, 0);
        }
}
TEST_P(Im2col, AreOfPatchesAlone)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(GetParam()));
    const auto offered = [&](const auto& change) {
        ConvProblem p = patches(2, 3);
        change(p);
        return run_all(family_of(GetParam()), p, layouts[1], by_rows).all;
    };
    EXPECT_GT(offered([](ConvProblem&) {}), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.pad_low[2] = 4; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.stride[2] = 2; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.input[1] += 1; }), 0) << "a row that no patch has";
    EXPECT_EQ(offered([](ConvProblem& p) { p.groups = 2; }), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.filter = p.stride = {1, 1, 1}; }), 0);
}
INSTANTIATE_TEST_SUITE_P(Directions,
                         Im2col,
                         testing::Values(forward, backward_data, backward_weight),
                         name_of);

} // namespace
} // namespace ck::test::im2col
