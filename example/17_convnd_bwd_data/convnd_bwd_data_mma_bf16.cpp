// Backward data by mma.sync (NVIDIA, sm_80 and later), bf16.
#include "mma.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::bhalf_t, MmaOperations<ck::bhalf_t>::OfRank>(argc, argv);
}
