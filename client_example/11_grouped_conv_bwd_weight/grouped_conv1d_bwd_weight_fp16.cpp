// Grouped backward weight in one dimension, fp16: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_bwd_weight<1, ck::half_t, ck::half_t, ck::half_t, GNWC, GKXC, GNWK>(
            {32, 256, 192, 192, {28}});
    });
}
