// Backward data by WMMA (gfx11, gfx12), bf16.
#include "wmma.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::bhalf_t, WmmaOperations<ck::bhalf_t>::OfRank>(argc, argv);
}
