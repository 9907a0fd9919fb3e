// Backward data by mma.sync (NVIDIA, sm_80 and later), fp16.
#include "mma.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::half_t, MmaOperations<ck::half_t>::OfRank>(argc, argv);
}
