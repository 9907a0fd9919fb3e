// Backward data by WMMA (gfx11, gfx12), fp16.
#include "wmma.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::half_t, WmmaOperations<ck::half_t>::OfRank>(argc, argv);
}
