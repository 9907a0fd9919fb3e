// Results written where an operand lies: every kernel refuses them, also if they have the operand's
// lengths and strides and so could be taken for tensors that may be computed in place.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test {
namespace {

/// X, W and Y are 16 by 16 by 2, in the same order.
ConvProblem equal_tensors()
{
    ConvProblem p;
    p.rank         = 2;
    p.groups       = 1;
    p.batch        = 16;
    p.out_channels = 16;
    p.in_channels  = 16;
    p.filter       = {1, 1, 2};
    p.input        = {1, 1, 2};
    p.stride = p.dilation = {1, 1, 1};
    p.pad_low             = {0, 0, 0};
    p.pad_high            = {0, 0, 1};
    return p;
}

template <class T>
void expect_refusals()
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        for(const auto& layout : layouts)
        {
            const Family family = family_of<T>(direction);
            CK_SKIP_IF_LIBRARY_LACKS(family);
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

TEST(OverlappingTensors, OfFloatsAreRefused) { expect_refusals<float>(); }
TEST(OverlappingTensors, OfHalvesAreRefused) { expect_refusals<half_t>(); }

} // namespace
} // namespace ck::test
