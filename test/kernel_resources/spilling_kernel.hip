// A kernel that must spill: more values live across a barrier than a thread of its block may have registers.
// kernel_resources is proven with it; no test runs it.
#include <hip/hip_runtime.h>

__global__ void __launch_bounds__(1024) spilling_kernel(float* data)
{
    float values[300];
#pragma unroll
    for(int i = 0; i < 300; ++i)
        values[i] = data[threadIdx.x * 300 + i];
    __syncthreads();
#pragma unroll
    for(int i = 0; i < 300; ++i)
        data[threadIdx.x * 300 + i] = values[299 - i];
}
