// Kernels of families with an operation on the result, run with a null tensor: each reports it
// instead of reading from it.
#include "library/tensor_operation_instance/patches.hpp"

namespace ck::test::null_tensors {
namespace {

TEST(NullTensors, AreNotRead)
{
    Family family      = family_of<float>(Direction::forward);
    family.d           = family.c;
    family.operation_c = "Bilinear";
    CK_SKIP_IF_LIBRARY_LACKS(family);
    ConvProblem p = patches(2, 3);
    set_layout(p, layouts[1]);
    const Values x = Values::integers(p.input_lengths(), 1),
                 w = Values::integers(p.filter_lengths(), 2),
                 y = Values::integers(p.output_lengths(), 3);
    const KernelSetup setup{family, p, {x, w, y, result(family.direction, p, x, w, y)}, 1};
    const auto without = [&](int which) {
        ConvArgument a = setup.argument;
        // A bias, which every way to an epilogue takes.
        a.d[0].strides = {p.out_channels, 0, 1, 0, 0, 0};
        which == 0   ? a.a[0]           = nullptr
        : which == 1 ? a.b[0]         = nullptr
        : which == 2 ? a.c            = nullptr
                     : a.d[0].pointer = nullptr;
        return a;
    };
    std::map<std::string, int> ran;
    for(const ConvKernel* const kernel : kernels_for(family, without(3)))
        for(int which = 0; which < 4; ++which)
        {
            ConvArgument argument = without(which);
            if(!kernel->supports(argument))
                continue;
            const DeviceMem workspace(kernel->workspace_size(argument));
            argument.workspace = workspace.GetDeviceBuffer();
            EXPECT_THROW(kernel->run(argument, StreamConfig{}), std::runtime_error)
                << kernel->name << ' ' << which;
            ++ran[kernel->name.substr(0, kernel->name.find('<'))];
        }
    EXPECT_GE(ran["FusedEpilogue"] + ran["SeparateEpilogue"], 4);
}

} // namespace
} // namespace ck::test::null_tensors
