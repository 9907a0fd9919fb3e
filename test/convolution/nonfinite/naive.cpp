// The device's plain loops, another reference.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"

#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

TEST(NonFiniteNaive, Forward)
{
    for(const ConvProblem& p : channels_of(1))
    {
        NonFinite<ForwardDirection, half_t, half_t, float> test(p);
        test.check(
            [&] { ref::naive_conv_fwd(p, test.a.pointer(), test.b.pointer(), test.c.pointer()); });
    }
}
TEST(NonFiniteNaive, BackwardData)
{
    for(const ConvProblem& p : channels_of(1))
    {
        NonFinite<BackwardDataDirection, half_t, half_t, float> test(p);
        test.check([&] {
            ref::naive_conv_bwd_data(p, test.c.pointer(), test.b.pointer(), test.a.pointer());
        });
    }
}
TEST(NonFiniteNaive, BackwardWeight)
{
    for(const ConvProblem& p : channels_of(1))
    {
        NonFinite<BackwardWeightDirection, half_t, half_t, float> test(p);
        test.check([&] {
            ref::naive_conv_bwd_weight(p, test.b.pointer(), test.c.pointer(), test.a.pointer());
        });
    }
}

} // namespace
} // namespace ck::test
