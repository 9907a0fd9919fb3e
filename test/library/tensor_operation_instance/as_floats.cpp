// tf32 by kernels of f32: exact integers, and who is offered them. That operands are not rounded is
// tested in test/conv/tf32.cpp.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test::as_floats {
namespace {

using enum Direction;

/// Floats multiplied as tf32.
Family tf32_family(Direction direction)
{
    Family f    = family_of<float>(direction);
    f.compute_a = f.compute_b = type_name<tf32_t>;
    return f;
}

/// 3x3 with 16 groups of one channel.
ConvProblem depthwise()
{
    ConvProblem p;
    p.rank    = 2;
    p.groups  = 16;
    p.batch   = 2;
    p.filter  = {1, 3, 3};
    p.input   = {1, 7, 9};
    p.pad_low = p.pad_high = {0, 1, 1};
    return p;
}

class AsFloats : public testing::TestWithParam<Direction>
{};
TEST_P(AsFloats, AreRight)
{
    CK_SKIP_IF_LIBRARY_LACKS(tf32_family(GetParam()));
    for(const Layout& layout : layouts)
        EXPECT_GE(run_all(tf32_family(GetParam()), depthwise(), layout, "AsFloats<").right, 1);
}
TEST_P(AsFloats, AreOfTf32Alone)
{
    EXPECT_EQ(run_all(family_of<float>(GetParam()), depthwise(), layouts[1], "AsFloats<").all, 0);
    EXPECT_EQ(run_all(family_of<half_t>(GetParam()), depthwise(), layouts[1], "AsFloats<").all, 0);
}
INSTANTIATE_TEST_SUITE_P(Directions,
                         AsFloats,
                         testing::Values(forward, backward_data, backward_weight),
                         name_of);

} // namespace
} // namespace ck::test::as_floats
