// Grouped backward data of fp16 that is rounded to bf8 and fp8: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_data<3, NDHWGK, GKZYXC, NDHWGC, ck::bf8_t, ck::f8_t>(
            {2, 16, 16, 16, {14, 14, 14}});
    });
}
