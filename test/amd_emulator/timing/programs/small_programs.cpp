// Small programs of the kinds whose times on an MI300A are published: what
// script/validate_amd_model runs in the emulator's mode `time`.
//   small_programs <name> <size> [<size>]
#include "ck/arch/amd/hip_5.hpp"

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

template <unsigned Threads>
__device__ unsigned thread_of_grid()
{
    return blockIdx.x * Threads + threadIdx.x;
}

__global__
    __launch_bounds__(256) void vector_add(const float* a, const float* b, float* c, unsigned n)
{
    const unsigned i = thread_of_grid<256>();
    if(i < n)
        c[i] = a[i] + b[i];
}

__global__ __launch_bounds__(256) void relu(const float* in, float* out, unsigned n)
{
    const unsigned i = thread_of_grid<256>();
    if(i < n)
        out[i] = in[i] > 0 ? in[i] : 0;
}

/// Each thread transposes a 4x4 square, through LDS.
__global__ __launch_bounds__(256) void transpose(const float4* in, float4* out, unsigned width)
{
    __shared__ float4 block[16 * 4 * 16];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, pitch = width / 4;
    const unsigned column = (blockIdx.x + blockIdx.y) % gridDim.x, row = blockIdx.x;
    const unsigned from = column * 16 + x + (row * 16 + y) * width;
    for(unsigned k = 0; k < 4; ++k)
        block[y * 64 + x + k * 16] = in[from + k * pitch];
    __syncthreads();
    float4 v[4];
    for(unsigned k = 0; k < 4; ++k)
        v[k] = block[x * 64 + y + k * 16];
    const unsigned to   = row * 16 + x + (column * 16 + y) * width;
    out[to]             = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    out[to + pitch]     = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    out[to + 2 * pitch] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    out[to + 3 * pitch] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
}

__global__ __launch_bounds__(256) void fir(
    const float* in, const float* taps, float* out, unsigned n, unsigned count)
{
    const unsigned i = thread_of_grid<256>();
    if(i >= n)
        return;
    float sum = 0;
    for(unsigned t = 0; t < count; ++t)
        sum += taps[t] * in[i + t];
    out[i] = sum;
}

/// A sum over a square of masked integers, one pixel a thread.
__global__ __launch_bounds__(64) void convolution(
    const unsigned* in, const float* mask, int* out, unsigned width, unsigned height, unsigned side)
{
    const unsigned i = thread_of_grid<64>(), pitch = width + side - 1;
    const unsigned x = i % pitch, y = i / pitch;
    if(x >= width || y >= height)
        return;
    float sum = 0;
    for(unsigned row = y, m = 0; row < y + side; ++row)
        for(unsigned column = x; column < x + side; ++column, ++m)
            sum += static_cast<float>(in[row * pitch + column]) * mask[m];
    out[y * width + x] = static_cast<int>(sum + 0.5f);
}

/// A column of the matrix a thread; the image has a margin of zeros that is not stored.
__global__ __launch_bounds__(64) void im2col(const float* in,
                                             float* out,
                                             int side,
                                             int filter,
                                             int stride,
                                             int pad,
                                             int dilation,
                                             int channels)
{
    const int i     = static_cast<int>(thread_of_grid<64>());
    const int field = (side - (filter - 1) * dilation - 1 + 2 * pad) / stride + 1;
    const int left = i % field * stride - pad, top = i / field * stride - pad;
    if(i >= field * field)
        return;
    for(int row = 0; row < filter * filter * channels; ++row)
    {
        const int channel = row / (filter * filter), tap = row % (filter * filter);
        const int x = left + row % filter * dilation, y = top + tap / filter * dilation;
        const bool inside            = x >= 0 && y >= 0 && x < side && y < side;
        out[row * field * field + i] = inside ? in[(channel * side + y) * side + x] : 0;
    }
}

/// 4x4 sums a thread, 8x8 threads; A goes through LDS, in tiles whose width the caller says.
__global__ __launch_bounds__(64) void product(
    const float4* a, const float4* b, float4* c, int k, int n, int of_tile)
{
    __shared__ float4 rows[8 * 4 * 8];
    const int x = threadIdx.x % 8, y = threadIdx.x / 8;
    const int column = blockIdx.x * 8 + x, row = (blockIdx.y * 8 + y) * 4;
    float4 sum[4] = {};
    for(int first = 0; first < k / 4; first += of_tile)
    {
        for(int r = 0; r < 4; ++r)
            rows[(y * 4 + r) * 8 + x] = a[(row + r) * (k / 4) + first + x];
        __syncthreads();
        for(int j = 0; j < of_tile; ++j)
        {
            float4 v[4];
            for(int r = 0; r < 4; ++r)
                v[r] = b[((first + j) * 4 + r) * (n / 4) + column];
            for(int r = 0; r < 4; ++r)
            {
                const float4 u = rows[(y * 4 + r) * 8 + j];
                sum[r].x += u.x * v[0].x + u.y * v[1].x + u.z * v[2].x + u.w * v[3].x;
                sum[r].y += u.x * v[0].y + u.y * v[1].y + u.z * v[2].y + u.w * v[3].y;
                sum[r].z += u.x * v[0].z + u.y * v[1].z + u.z * v[2].z + u.w * v[3].z;
                sum[r].w += u.x * v[0].w + u.y * v[1].w + u.z * v[2].w + u.w * v[3].w;
            }
        }
        __syncthreads();
    }
    for(int r = 0; r < 4; ++r)
        c[(row + r) * (n / 4) + column] = sum[r];
}

__global__ __launch_bounds__(256) void bodies(const float4* place,
                                              const float4* speed,
                                              float4* next,
                                              float4* next_speed,
                                              int count,
                                              int of_tile)
{
    __shared__ float4 tile[256];
    const unsigned i  = thread_of_grid<256>();
    const float4 mine = place[i];
    float ax = 0, ay = 0, az = 0;
    for(int t = 0; t < count; t += of_tile)
    {
        tile[threadIdx.x] = place[t + threadIdx.x];
        __syncthreads();
        for(int j = 0; j < of_tile; ++j)
        {
            const float4 o = tile[j];
            const float x = o.x - mine.x, y = o.y - mine.y, z = o.z - mine.z;
            const float d = 1.f / __builtin_sqrtf(x * x + y * y + z * z + 500.f);
            const float s = o.w * d * d * d;
            ax += s * x, ay += s * y, az += s * z;
        }
        __syncthreads();
    }
    const float4 v = speed[i];
    next[i]        = make_float4(mine.x + v.x + ax, mine.y + v.y + ay, mine.z + v.z + az, mine.w);
    next_speed[i]  = make_float4(v.x + ax, v.y + ay, v.z + az, v.w);
}

/// A row of the matrix a thread.
__global__
    __launch_bounds__(256) void rows_by_vector(const float* a, const float* x, float* y, unsigned n)
{
    const unsigned i = thread_of_grid<256>();
    if(i >= n)
        return;
    float sum = 0;
    for(unsigned j = 0; j < n; ++j)
        sum += a[i * n + j] * x[j];
    y[i] = sum;
}

/// A column of the matrix a thread.
__global__ __launch_bounds__(256) void columns_by_vector(const float* a,
                                                         const float* x,
                                                         float* y,
                                                         unsigned n)
{
    const unsigned j = thread_of_grid<256>();
    if(j >= n)
        return;
    float sum = 0;
    for(unsigned i = 0; i < n; ++i)
        sum += a[i * n + j] * x[i];
    y[j] = sum;
}

void check(hipError_t e)
{
    if(e == hipSuccess)
        return;
    std::fprintf(stderr, "%s\n", hipGetErrorString(e));
    std::exit(1);
}

/// Zeros on the device, until the program ends.
template <typename T>
T* zeros(size_t count)
{
    T* p = nullptr;
    check(hipMalloc(reinterpret_cast<void**>(&p), count * sizeof(T)));
    check(hipMemset(p, 0, count * sizeof(T)));
    return p;
}

unsigned parts(size_t all, size_t part) { return static_cast<unsigned>((all + part - 1) / part); }

using Run = void (*)(unsigned, unsigned);
const std::map<std::string, Run> programs{
    {"vectoradd",
     [](unsigned n, unsigned) {
         vector_add<<<parts(n, 256), 256>>>(zeros<float>(n), zeros<float>(n), zeros<float>(n), n);
     }},
    {"relu",
     [](unsigned n, unsigned) {
         relu<<<parts(n, 256), 256>>>(zeros<float>(n), zeros<float>(n), n);
     }},
    {"matrixtranspose",
     [](unsigned n, unsigned) {
         const size_t all = static_cast<size_t>(n) * n / 4;
         transpose<<<dim3(n / 64, n / 64), 256>>>(zeros<float4>(all), zeros<float4>(all), n);
     }},
    {"fir",
     [](unsigned n, unsigned taps) {
         fir<<<parts(n, 256), 256>>>(
             zeros<float>(n + taps), zeros<float>(taps), zeros<float>(n), n, taps);
     }},
    {"simpleconvolution",
     [](unsigned n, unsigned mask) {
         const size_t padded = static_cast<size_t>(n + mask - 1) * (n + mask - 1);
         convolution<<<parts(padded, 64), 64>>>(
             zeros<unsigned>(padded), zeros<float>(mask * mask), zeros<int>(padded), n, n, mask);
     }},
    {"im2col",
     [](unsigned n, unsigned filter) {
         const size_t all = static_cast<size_t>(n) * n;
         im2col<<<parts(all, 64), 64>>>(zeros<float>(all),
                                        zeros<float>(all * filter * filter),
                                        n,
                                        filter,
                                        1,
                                        filter / 2,
                                        1,
                                        1);
     }},
    {"matrixmultiplication",
     [](unsigned n, unsigned) {
         const size_t all = static_cast<size_t>(n) * n / 4;
         product<<<dim3(n / 32, n / 32), 64>>>(
             zeros<float4>(all), zeros<float4>(all), zeros<float4>(all), n, n, 8);
     }},
    {"nbody",
     [](unsigned n, unsigned) {
         bodies<<<n / 256, 256>>>(
             zeros<float4>(n), zeros<float4>(n), zeros<float4>(n), zeros<float4>(n), n, 256);
     }},
    {"atax",
     [](unsigned n, unsigned) {
         const float* const a = zeros<float>(static_cast<size_t>(n) * n);
         float* const y       = zeros<float>(n);
         rows_by_vector<<<parts(n, 256), 256>>>(a, zeros<float>(n), y, n);
         columns_by_vector<<<parts(n, 256), 256>>>(a, y, zeros<float>(n), n);
     }},
    {"bicg", [](unsigned n, unsigned) {
         const float* const a = zeros<float>(static_cast<size_t>(n) * n);
         columns_by_vector<<<parts(n, 256), 256>>>(a, zeros<float>(n), zeros<float>(n), n);
         rows_by_vector<<<parts(n, 256), 256>>>(a, zeros<float>(n), zeros<float>(n), n);
     }}};

} // namespace

int main(int argc, char** argv)
{
    const auto program = argc < 3 ? programs.end() : programs.find(argv[1]);
    if(program == programs.end())
    {
        std::fprintf(stderr, "usage: %s <name> <size> [<size>], name one of", argv[0]);
        for(const auto& [name, run] : programs)
            std::fprintf(stderr, " %s", name.c_str());
        std::fprintf(stderr, "\n");
        return 2;
    }
    program->second(static_cast<unsigned>(std::atoi(argv[2])),
                    argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 0);
    check(hipGetLastError());
    check(hipDeviceSynchronize());
    return 0;
}
