// Backward weight of a grouped convolution by WMMA: dW = dY * X.
#include "grouped_conv_bwd_weight.hpp"

int main(int argc, char* argv[])
{
    using namespace example;
    return conv_main<BwdWeight<Engine::wmma, EXAMPLE_TYPE>>(argc, argv);
}
