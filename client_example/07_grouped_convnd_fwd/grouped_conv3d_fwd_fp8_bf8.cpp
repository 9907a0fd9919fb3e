// Grouped forward convolution of fp8 images and bf8 filters: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_fwd<3,
                                    ck::f8_t,
                                    ck::bf8_t,
                                    ck::f8_t,
                                    NDHWGC,
                                    GKZYXC,
                                    NDHWGK,
                                    ck::f8_t,
                                    ck::bf8_t>({1, 64, 128, 64, {28, 28, 3}});
    });
}
