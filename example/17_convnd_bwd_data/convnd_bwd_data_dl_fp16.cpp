// Backward data by dot products or multiply-add (any GPU), fp16.
#include "dl.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<ck::half_t, DlOperations<ck::half_t>::OfRank>(argc, argv);
}
