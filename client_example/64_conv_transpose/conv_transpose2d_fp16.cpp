// torch.nn.functional.conv_transpose2d that doubles height and width, fp16: all instances timed and
// verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_conv_transpose<2, ck::half_t, NHWGC, GKYXC, NHWGK>(
            {.input          = {fitting_input({32, 256, 32, 32}, {1, 256, 4, 4})},
             .weight         = {{256, 64, 3, 3}},
             .stride         = {2, 2},
             .padding        = {1, 1},
             .output_padding = {1, 1},
             .groups         = 2,
             .dilation       = {1, 1}});
    });
}
