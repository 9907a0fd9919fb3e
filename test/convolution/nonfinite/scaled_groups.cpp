// Groups computed as one whose operands pass through element-wise operations.
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"

namespace ck::test {
namespace {

using tensor_operation::element_wise::Scale;

template <class Direction>
void check_scaled()
{
    using namespace tensor_operation::device;
    using Operation = ConvOperation<Direction,
                                    ConvTypes<half_t, half_t, half_t, Scale, Scale, Scale>,
                                    merged(arch::Matrix::dot_f32_8x4x2_f16, 4, 4)>;
    for(const ConvProblem& p : problems_of_small_groups())
    {
        SCOPED_TRACE(text(p));
        NonFinite<Direction, half_t, half_t, half_t> test(p);
        test.factor = 2 * 4 * .5;
        typename Operation::Argument argument{};
        argument.problem     = p;
        argument.a           = test.a.pointer();
        argument.b           = test.b.pointer();
        argument.c           = test.c.pointer();
        argument.operation_a = Scale(2.f);
        argument.operation_b = Scale(4.f);
        argument.operation_c = Scale(.5f);
        ASSERT_EQ(Operation::supports(argument).reason, "");
        test.check([&] { Operation::run(argument, StreamConfig{}); });
    }
}

TEST(NonFiniteScaledGroups, Forward) { check_scaled<ForwardDirection>(); }
TEST(NonFiniteScaledGroups, BackwardData) { check_scaled<BackwardDataDirection>(); }

} // namespace
} // namespace ck::test
