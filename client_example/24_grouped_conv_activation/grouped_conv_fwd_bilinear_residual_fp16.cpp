// Y = 2 conv(X, W) + 2 Y in three dimensions, fp16: all instances timed and verified.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward_bilinear.hpp"

#include "forward.hpp"

using namespace ck::tensor_operation::element_wise;

int main(int argc, char* argv[])
{
    return report_errors(argc, argv, [] {
        return run_forward<ck::half_t, ck::half_t, ck::half_t>(
            {32, 64, 64, 32, {14, 14, 14}}, Bilinear{2.f, 2.f}, ck::Tuple<ck::half_t>{});
    });
}
