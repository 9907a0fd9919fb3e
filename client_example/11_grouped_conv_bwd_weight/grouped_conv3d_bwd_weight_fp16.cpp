// Grouped backward weight in three dimensions, fp16: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_weight<3,
                                           ck::half_t,
                                           ck::half_t,
                                           ck::half_t,
                                           GNDHWC,
                                           GKZYXC,
                                           GNDHWK>({8, 64, 128, 128, {28, 28, 3}});
    });
}
