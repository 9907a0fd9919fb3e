// dX = 2 bwd_data(dY, W) + 2 dX in three dimensions, fp16: all instances timed and verified.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data_bilinear.hpp"

#include "backward_data.hpp"

using namespace ck::tensor_operation::element_wise;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_backward_data(Bilinear{2.f, 2.f}, ck::Tuple<ck::half_t>{});
    });
}
