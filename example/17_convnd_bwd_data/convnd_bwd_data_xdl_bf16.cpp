// Backward data by MFMA (gfx908, gfx90a, gfx942), bf16.
#include "xdl.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::bhalf_t, XdlOperations<ck::bhalf_t>::OfRank>(argc, argv);
}
