// Y = max(2 conv(X, W) + 2 D + bias, 0) in three dimensions, int8 with D tensors of fp32: all
// instances timed and verified.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_scaleadd_scaleadd_relu.hpp"

#include "forward.hpp"

using namespace ck::tensor_operation::element_wise;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_forward<std::int8_t, std::int8_t, std::int8_t>({32, 64, 64, 32, {14, 14, 14}},
                                                                  ScaleAddScaleAddRelu{2.f, 2.f},
                                                                  ck::Tuple<float, float>{});
    });
}
