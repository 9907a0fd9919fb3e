// A kernel that does not spill; see spilling_kernel.hip beside it.
#include <hip/hip_runtime.h>

__global__ void clean_kernel(float* data) { data[threadIdx.x] *= 2.f; }
