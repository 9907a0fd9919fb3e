// Grouped backward data in three dimensions, fp16: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_data<3, NDHWGK, GKZYXC, NDHWGC>({2, 16, 16, 16, {14, 14, 14}});
    });
}
