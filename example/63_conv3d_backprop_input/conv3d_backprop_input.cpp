// A user's kernel that contains the convolution as an object: each workgroup computes its share of
// dX block by block.
#include "host.hpp"

using namespace ConvCommonApi;
using namespace ConvBackpropApi;

using Weight     = ConvType<TPosition::GM, ConvFormat::FRACTAL_Z_3D, half>;
using InputSize  = ConvType<TPosition::GM, ConvFormat::ND, int32_t>;
using GradOutput = ConvType<TPosition::GM, ConvFormat::NDC1HWC0, half>;
using GradInput  = ConvType<TPosition::GM, ConvFormat::NDC1HWC0, half>;

CONV_BACKPROP_KERNEL void backprop_input(CONV_BACKPROP_PARAMETER example::KernelParameters p)
{
    GlobalTensor<half> gradOutputGm, weightGm, gradInputGm;
    gradOutputGm.SetGlobalBuffer(p.gradOutput);
    weightGm.SetGlobalBuffer(p.weight);
    gradInputGm.SetGlobalBuffer(p.gradInput);

    const Share share = p.tiling.share(GetBlockIdx());
    Conv3DBackpropInput<Weight, InputSize, GradOutput, GradInput> gradInput_;
    gradInput_.Init(&p.tiling);
    gradInput_.SetSingleShape(share.singleShapeM, share.singleShapeK, share.singleShapeN);
    gradInput_.SetStartPosition(share.dinStartIdx, share.curHoStartIdx);
    gradInput_.SetGradOutput(gradOutputGm[share.offsetA]);
    gradInput_.SetWeight(weightGm[share.offsetB]);
    while(gradInput_.Iterate())
        gradInput_.GetTensorC(gradInputGm[share.offsetC]);
    gradInput_.End();
}

int main(int argc, char* argv[])
{
    return example::kernel_main(
        argc,
        argv,
        [](const example::KernelParameters& p) {
            return Launch(p.tiling, nullptr, backprop_input, p);
        },
        [](double sum, double) { return sum; },
        1,
        true);
}
