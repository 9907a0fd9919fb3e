// Backward data by MFMA (gfx908, gfx90a, gfx942), fp16.
#include "xdl.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::half_t, XdlOperations<ck::half_t>::OfRank>(argc, argv);
}
