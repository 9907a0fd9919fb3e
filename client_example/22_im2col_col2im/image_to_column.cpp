// Makes the matrix of a convolution's windows from the image. Times and verifies all
// instances.
#include "common.hpp"

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_rearrange<ck::conv_tensor_rearrange_op::ImageToColumn>({2, 32, 1, 64, {28, 28}});
    });
}
