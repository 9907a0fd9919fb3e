// Backward data by dot products or multiply-add (any GPU), bf16.
#include "dl.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::bhalf_t, DlOperations<ck::bhalf_t>::OfRank>(argc, argv);
}
