// Backward data of a 3D convolution, fp32: all instances timed and verified.
#include "common.hpp"

int main(int argc, char* argv[]) { return run_conv3d_bwd_data<float>(argc, argv); }
