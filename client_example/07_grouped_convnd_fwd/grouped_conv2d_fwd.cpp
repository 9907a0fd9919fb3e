// Grouped forward convolution in two dimensions, fp16: all instances timed and verified.
#include "common.hpp"

using namespace ck::tensor_layout::convolution;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_grouped_conv_fwd<2, ck::half_t, ck::half_t, ck::half_t, NHWGC, GKYXC, NHWGK>(
            {32, 256, 64, 32, {28, 28}});
    });
}
