// Backward data by dot products or multiply-add (any GPU), fp32.
#include "dl.hpp"

int main(int argc, char* argv[])
{
    return convnd_bwd_data_main<float, DlOperations<float>::OfRank>(argc, argv);
}
