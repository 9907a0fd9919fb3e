// Forward 3D convolution of fp16 that is rounded to fp8: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_fwd<3,
                                    ck::half_t,
                                    ck::half_t,
                                    ck::half_t,
                                    NDHWGC,
                                    GKZYXC,
                                    NDHWGK,
                                    ck::f8_t>({1, 64, 128, 64, {28, 28, 3}});
    });
}
