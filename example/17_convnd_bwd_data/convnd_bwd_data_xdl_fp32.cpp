// Backward data by MFMA (gfx908, gfx90a, gfx942), fp32.
#include "xdl.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<float, XdlOperations<float>::OfRank>(argc, argv);
}
