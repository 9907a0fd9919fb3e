// Backward data of a convolution by dot products: dX = dY * W.
#include "convnd_bwd_data.hpp"
#include "dl.hpp"

int main(int argc, char* argv[])
{
    using namespace example;
    return conv_main<ConvBwdData<Engine::dl, EXAMPLE_TYPE>>(argc, argv);
}
