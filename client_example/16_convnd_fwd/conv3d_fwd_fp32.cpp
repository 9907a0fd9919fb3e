// Forward 3D convolution, fp32: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_fwd<3, float, float, float, NDHWGC, GKZYXC, NDHWGK>(
            {1, 64, 128, 64, {28, 28, 3}});
    });
}
