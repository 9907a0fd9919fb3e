// dX that few taps reach, tap by tap: exact integers, wherever the padding cuts, and problems of
// other kinds.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test::tap_by_tap {
namespace {

using enum Direction;

constexpr const Layout& channels_last = layouts[1];

/// 2x3 taps in 9x11 phases, with padding and pixels after the last window.
ConvProblem sparse(long_index_t groups = 1, long_index_t c = 8, long_index_t k = 16)
{
    ConvProblem p;
    p.rank         = 2;
    p.groups       = groups;
    p.batch        = 2;
    p.in_channels  = c;
    p.out_channels = k;
    p.filter       = {1, 2, 3};
    p.stride       = {1, 9, 11};
    p.dilation     = {1, 2, 1};
    p.pad_low      = {0, 3, 1};
    p.pad_high     = {0, 2, 4};
    p.input        = {1, 25, 38};
    return p;
}

template <class T = half_t>
Ran run(const ConvProblem& p, const Layout& layout = channels_last)
{
    return run_all(family_of<T>(backward_data), p, layout, "TapByTap<");
}

class TapByTap : public testing::Test
{};
TEST_F(TapByTap, IsRight)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(backward_data));
    ConvProblem cropped = sparse();
    cropped.pad_low     = {0, -4, 12};
    cropped.pad_high    = {0, 30, -7};
    ConvProblem line    = sparse(1, 3, 5);
    line.rank           = 1;
    line.filter = {1, 1, 2}, line.stride = {1, 1, 70}, line.dilation = {1, 1, 3};
    line.pad_low = line.pad_high = {0, 0, 1};
    line.input                   = {1, 1, 300};
    for(const ConvProblem& p : {sparse(), sparse(3, 1, 1), sparse(2, 3, 5), cropped, line})
        for(const Layout& layout : layouts)
            EXPECT_GE(run(p, layout).right, 1);
}
TEST_F(TapByTap, OfOtherTypesIsRight)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of<float>(backward_data));
    EXPECT_GE(run<float>(sparse()).right, 1);
    EXPECT_GE(run<float>(sparse(4, 1, 1)).right, 1);
    CK_SKIP_IF_LIBRARY_LACKS(family_of<double>(backward_data));
    EXPECT_GE(run<double>(sparse()).right, 1);
}
TEST_F(TapByTap, WritesZerosWhereNoTapReachesAPixelAtAll)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(backward_data));
    ConvProblem p = sparse();
    p.pad_low     = {0, 0, 100}; // all taps of the one column lie before dX
    p.input       = {1, 25, 8};
    p.pad_high    = {0, 0, -100};
    EXPECT_GE(run(p).right, 1);
    p       = sparse();
    p.batch = 0;
    EXPECT_EQ(run(p).all, 0) << "nothing is written";
}
TEST_F(TapByTap, IsOfSparsePhasesAlone)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(backward_data));
    const auto offered = [&](const auto& change) {
        ConvProblem p = sparse();
        change(p);
        return run(p).all;
    };
    EXPECT_GT(offered([](ConvProblem&) {}), 0);
    EXPECT_EQ(offered([](ConvProblem& p) { p.stride[1] = 4; }), 0) << "44 phases";
    EXPECT_EQ(offered([](ConvProblem& p) { p.dilation[1] = 9; }), 0) << "taps of one phase";
    EXPECT_EQ(run_all(family_of(forward), sparse(), channels_last, "TapByTap<").all, 0);
}

// A depthwise one with strides 29x19 took 16 s of a CPU's time in workgroups that wrote zeros.
TEST_F(TapByTap, IsChosen)
{
    const Family family = family_of<float>(backward_data);
    CK_SKIP_IF_LIBRARY_LACKS(family);
    ConvProblem p = sparse(32, 1, 1);
    p.filter      = {1, 3, 3};
    p.stride      = {1, 29, 19};
    p.input       = {1, 29 * 8, 19 * 12};
    p.dilation    = {1, 1, 1};
    p.pad_low = p.pad_high = {0, 0, 0};
    set_layout(p, channels_last);
    const Values x = Values::integers(p.input_lengths(), 1),
                 w = Values::integers(p.filter_lengths(), 2),
                 y = Values::integers(p.output_lengths(), 3);
    KernelSetup setup{family, p, {x, w, y, result(backward_data, p, x, w, y)}, 1};
    const ConvKernel* const chosen = select_kernel(family, setup.argument);
    ASSERT_NE(chosen, nullptr);
    EXPECT_TRUE(chosen->name.starts_with("TapByTap<")) << chosen->name;
    EXPECT_EQ(setup.mistakes(*chosen), 0u);
    int asked = 0;
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
    {
        if(!kernel->name.starts_with("TapByTap<"))
            continue;
        const bool supported             = static_cast<bool>(setup.supports(*kernel));
        const std::optional<double> both = kernel->predict_if_supported(setup.argument);
        EXPECT_EQ(both.has_value(), supported) << kernel->name;
        if(both)
        {
            EXPECT_EQ(*both, kernel->predict(setup.argument)) << kernel->name;
        }
        ++asked;
    }
    EXPECT_GT(asked, 0);
}

} // namespace
} // namespace ck::test::tap_by_tap
