// fp8 quantised by scales of X, W and Y: all instances timed and verified.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_convscale.hpp"

#include "forward.hpp"

using namespace ck::tensor_operation::element_wise;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_forward<ck::f8_t, ck::f8_t, ck::f8_t>({1, 64, 128, 64, {28, 28, 3}},
                                                         ConvScale{2.f, 2.f, .5f});
    });
}
