// Backward data of a convolution by MFMA (XDL): dX = dY * W.
#include "convnd_bwd_data.hpp"
#include "xdl.hpp"

int main(int argc, char* argv[])
{
    using namespace example;
    return conv_main<ConvBwdData<Engine::xdl, EXAMPLE_TYPE>>(argc, argv);
}
