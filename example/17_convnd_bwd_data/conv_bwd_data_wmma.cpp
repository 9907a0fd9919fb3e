// Backward data of a convolution by WMMA: dX = dY * W.
#include "convnd_bwd_data.hpp"
#include "wmma.hpp"

int main(int argc, char* argv[])
{
    using namespace example;
    return conv_main<ConvBwdData<Engine::wmma, EXAMPLE_TYPE>>(argc, argv);
}
