// fp8 with scales of X and W, quantised to fp8 by a scale of its own, and the largest |y|: all
// instances timed and verified.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_convscale.hpp"

#include "amax.hpp"

using namespace ck::tensor_operation::element_wise;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_forward_amax({1, 64, 128, 64, {28, 28, 3}},
                                ScaleScalePass{Scale{2.f}, Scale{2.f}, {}});
    });
}
