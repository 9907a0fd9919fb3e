// Grouped backward weight of fp16 that is rounded to bf8 and fp8: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_weight<3,
                                           ck::half_t,
                                           ck::half_t,
                                           ck::half_t,
                                           NDHWGC,
                                           GKZYXC,
                                           NDHWGK,
                                           ck::bf8_t,
                                           ck::f8_t>({8, 64, 128, 128, {28, 28, 3}});
    });
}
