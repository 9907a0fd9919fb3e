// Results written where an operand lies: every kernel refuses them, also if they have the operand's
// lengths and strides and so could be taken for tensors that may be computed in place.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test::overlapping_tensors {
namespace {

/// X, W and Y are 16 by 16 by 2, in the same order.
ConvProblem equal_tensors()
{
    return make_packed_problem<2>(1, 16, 16, 16, {1, 2}, {1, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 1});
}

template <class T>
void expect_refusals(Direction direction)
{
    const Family family = family_of<T>(direction);
    CK_SKIP_IF_LIBRARY_LACKS(family);
    for(const Layout& layout : layouts)
    {
        ConvProblem p = equal_tensors();
        set_layout(p, layout);
        const Values x = Values::integers(p.input_lengths(), 1),
                     w = Values::integers(p.filter_lengths(), 2),
                     y = Values::integers(p.output_lengths(), 3);
        const KernelSetup setup{family, p, {x, w, y, result(direction, p, x, w, y)}, 1};
        int refused        = 0;
        ConvArgument apart = setup.argument;
        apart.workspace    = reinterpret_cast<void*>(std::uintptr_t{128}); // never accessed
        for(const ConvKernel* const kernel : kernels_for(family, apart))
        {
            if(!kernel->supports(apart))
                continue;
            for(const void* const operand : {apart.a[0], apart.b[0]})
            {
                ConvArgument argument = apart;
                argument.c            = const_cast<void*>(operand);
                const Support s       = kernel->supports(argument);
                EXPECT_FALSE(s) << kernel->name;
                EXPECT_NE(s.reason.find("shares memory with"), std::string::npos)
                    << kernel->name << ": " << s.reason;
                ++refused;
            }
        }
        EXPECT_GE(refused, 6) << layout.name; // of at least three kernels
    }
}

class OverlappingTensors : public testing::TestWithParam<Direction>
{};
TEST_P(OverlappingTensors, OfFloatsAreRefused) { expect_refusals<float>(GetParam()); }
TEST_P(OverlappingTensors, OfHalvesAreRefused) { expect_refusals<half_t>(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Directions,
                         OverlappingTensors,
                         testing::Values(Direction::forward,
                                         Direction::backward_data,
                                         Direction::backward_weight),
                         name_of);

} // namespace
} // namespace ck::test::overlapping_tensors
