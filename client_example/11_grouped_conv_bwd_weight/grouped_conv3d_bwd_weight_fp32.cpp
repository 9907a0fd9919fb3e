// Grouped backward weight in three dimensions, fp32: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_weight<3, float, float, float, GNDHWC, GKZYXC, GNDHWK>(
            {8, 64, 128, 128, {28, 28, 3}});
    });
}
