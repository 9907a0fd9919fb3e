// torch.nn.functional.conv_transpose3d of 4x4x4 filters with stride 2, fp32: all instances timed
// and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_conv_transpose<3, float, NDHWGC, GKZYXC, NDHWGK>(
            {.input          = {fitting_input({8, 128, 16, 16, 16}, {1, 128, 3, 3, 3})},
             .weight         = {{128, 64, 4, 4, 4}},
             .stride         = {2, 2, 2},
             .padding        = {1, 1, 1},
             .output_padding = {0, 0, 0},
             .groups         = 1,
             .dilation       = {1, 1, 1}});
    });
}
