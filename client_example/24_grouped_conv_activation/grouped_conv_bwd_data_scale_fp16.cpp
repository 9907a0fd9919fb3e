// dX = 2 bwd_data(dY, W) in three dimensions, fp16: all instances timed and verified.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data_scale.hpp"

#include "backward_data.hpp"

using namespace ck::tensor_operation::element_wise;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] { return run_backward_data(Scale{2.f}); });
}
