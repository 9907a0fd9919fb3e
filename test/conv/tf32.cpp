// Specs that ask for tf32: kernels of f32 are offered beside those of tf32, and multiply operands
// as they are.
//
// Labels: compiled alone
#include "conv/convolution.hpp"

namespace ck::conv_test {
TEST(Tf32, OperandsOfKernelsOfFloatsAreNotRounded)
{
    const ConvSpec spec{
        .compute = DataType::tf32, .n = 1, .k = 1, .c = 1, .input = {1}, .filter = {1}};
    if(!has_kernels(spec))
        GTEST_SKIP() << "the library has no kernels of f32 for tf32";
    const float x = 1 + 0x1p-20f, w = 3;
    float y = 0;
    DeviceMem on_x(sizeof x), on_w(sizeof w), on_y(sizeof y);
    on_x.ToDevice(&x);
    on_w.ToDevice(&w);
    const ConvPlan p = plan(spec, {.allow = "^AsFloats<"});
    DeviceMem workspace(p.workspace_size());
    p.run({.x         = on_x.GetDeviceBuffer(),
           .w         = on_w.GetDeviceBuffer(),
           .y         = on_y.GetDeviceBuffer(),
           .workspace = workspace.GetDeviceBuffer()});
    on_y.FromDevice(&y);
    EXPECT_EQ(y, 3 + 3 * 0x1p-20f) << p.kernel();
}

} // namespace ck::conv_test
