// Backward data of a convolution by mma.sync: dX = dY * W.
#include "convnd_bwd_data.hpp"
#include "mma.hpp"

int main(int argc, char* argv[])
{
    using namespace example;
    return conv_main<ConvBwdData<Engine::mma, EXAMPLE_TYPE>>(argc, argv);
}
