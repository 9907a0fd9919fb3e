// Grouped backward data in two dimensions, fp16: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_data<2, GNHWK, GKYXC, GNHWC>({32, 256, 192, 192, {28, 28}});
    });
}
