// Backward data of a 3D convolution, fp16: all instances timed and verified.
#include "common.hpp"

int main(int argc, char* argv[]) { return run_conv3d_bwd_data<ck::half_t>(argc, argv); }
