// The image from the matrix of a convolution's windows: what overlaps is added up. All instances
// timed and verified.
#include "common.hpp"

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_rearrange<ck::conv_tensor_rearrange_op::ColumnToImage>({2, 32, 1, 64, {28, 28}});
    });
}
