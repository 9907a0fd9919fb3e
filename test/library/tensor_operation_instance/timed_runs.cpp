// A timed run repeats its launches and leaves the result of one run. This is tested with all
// kernels that a plan may use, including those that change the result in place.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test::timed_runs {
namespace {

using enum Direction;

class TimedRuns : public testing::TestWithParam<Direction>
{};
TEST_P(TimedRuns, LeaveTheResultOfOne)
{
    Family family      = family_of<float>(GetParam());
    family.operation_c = "Scale"; // a result that is scaled twice is wrong everywhere
    CK_SKIP_IF_LIBRARY_LACKS(family);
    ConvProblem p = patches(2, 3);
    set_layout(p, layouts[1]);
    const Values x = Values::integers(p.input_lengths(), 1),
                 w = Values::integers(p.filter_lengths(), 2),
                 y = Values::integers(p.output_lengths(), 3);
    KernelSetup setup{family, p, {x, w, y, result(family.direction, p, x, w, y)}, 1};
    const StreamConfig timed{nullptr, true, 0, 1, 3};
    int ran = 0, separate = 0;
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
    {
        if(!setup.supports(*kernel))
            continue;
        EXPECT_EQ(setup.mistakes(*kernel, timed), 0u) << kernel->name;
        ++ran;
        separate += kernel->name.starts_with("SeparateEpilogue<");
    }
    EXPECT_GE(ran, 2);
    if(GetParam() != backward_weight)
    {
        EXPECT_GE(separate, 1);
    }
}
INSTANTIATE_TEST_SUITE_P(Directions,
                         TimedRuns,
                         testing::Values(forward, backward_data, backward_weight),
                         name_of);

} // namespace
} // namespace ck::test::timed_runs
