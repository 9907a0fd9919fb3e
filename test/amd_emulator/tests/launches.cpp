// Launches: sizes of grids and blocks, LDS shared by several waves, dynamic LDS, symbols, calls,
// scratch.
#include "device_array.hpp"
#include <numeric>

namespace emulator_test::launches {

__global__ void add(const float* a, const float* b, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if(i < n)
        c[i] = a[i] + b[i];
}
TEST(EmulatedLaunch, LeavesOutThreadsBeyondTheEnd)
{
    constexpr int n = 1000;
    std::vector<float> a(n), b(n);
    for(int i = 0; i < n; ++i)
    {
        a[i] = i * 0.25f;
        b[i] = 1000 - i;
    }
    const DeviceArray<float> c(n);
    add<<<(n + 127) / 128, 128>>>(DeviceArray<float>(a), DeviceArray<float>(b), c, n);
    const std::vector<float> sums = c.read();
    for(int i = 0; i < n; ++i)
        ASSERT_EQ(sums[i], a[i] + b[i]) << i;
}

__global__ void write_index(int* out)
{
    const int block  = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int i      = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[i]           = i * 7 + gridDim.x * 1000 + blockDim.y;
}
TEST(EmulatedLaunch, NumbersBlocksAndThreadsOnThreeAxes)
{
    constexpr int n = 3 * 2 * 2 * 4 * 3 * 5;
    const DeviceArray<int> out(n);
    write_index<<<dim3(3, 2, 2), dim3(4, 3, 5)>>>(out);
    const std::vector<int> values = out.read();
    for(int i = 0; i < n; ++i)
        ASSERT_EQ(values[i], i * 7 + 3000 + 3) << i;
}

constexpr int tile = 32;
__global__ __launch_bounds__(256) void transpose(const float* a, float* b, int n)
{
    __shared__ float lds[tile][tile + 1];
    const int x = threadIdx.x % tile, y = threadIdx.x / tile;
    const int first_column = blockIdx.x * tile, first_row = blockIdx.y * tile;
    for(int r = 0; r < tile; r += 8)
        lds[y + r][x] = a[(first_row + y + r) * n + first_column + x];
    __syncthreads();
    for(int r = 0; r < tile; r += 8)
        b[(first_column + y + r) * n + first_row + x] = lds[x][y + r];
}
TEST(EmulatedLaunch, PassesDataBetweenWavesThroughLds)
{
    constexpr int n = 128;
    std::vector<float> a(n * n);
    std::iota(a.begin(), a.end(), 0.f);
    const DeviceArray<float> in(a), out(n * n);
    transpose<<<dim3(n / tile, n / tile), 256>>>(in, out, n);
    const std::vector<float> b = out.read();
    for(int i = 0; i < n * n; ++i)
        ASSERT_EQ(b[i], a[i % n * n + i / n]) << i;
}

extern __shared__ int dynamic_lds[];
__global__ void reverse(int* out, int n)
{
    dynamic_lds[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = dynamic_lds[n - 1 - threadIdx.x];
}
TEST(EmulatedLaunch, HasDynamicLds)
{
    constexpr int n = 512;
    const DeviceArray<int> out(n);
    reverse<<<1, n, n * sizeof(int)>>>(out, n);
    const std::vector<int> values = out.read();
    for(int i = 0; i < n; ++i)
        ASSERT_EQ(values[i], (n - 1 - i) * 3) << i;
}
TEST(EmulatedLaunch, IsRefusedWithMoreLdsThanThereIs)
{
    const DeviceArray<int> out(64);
    reverse<<<1, 64, 1 << 20>>>(out, 64);
    EXPECT_NE(hipGetLastError(), hipSuccess);
}

__device__ int table[64];
__constant__ float coefficients[4];
__global__ void read_symbols(float* out)
{
    out[threadIdx.x] = table[threadIdx.x] * coefficients[threadIdx.x & 3];
    if(threadIdx.x == 0)
        table[0] = 4242;
}
TEST(EmulatedLaunch, SeesVariablesOfTheDevice)
{
    int numbers[64];
    for(int i = 0; i < 64; ++i)
        numbers[i] = i * 3;
    const float factors[4] = {1, 0.5f, 2, -1};
    check(hipMemcpyToSymbol(HIP_SYMBOL(table), numbers, sizeof numbers));
    check(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), factors, sizeof factors));
    const DeviceArray<float> out(64);
    read_symbols<<<1, 64>>>(out);
    const std::vector<float> values = out.read();
    for(int i = 0; i < 64; ++i)
        EXPECT_EQ(values[i], numbers[i] * factors[i & 3]) << i;
    int first = 0;
    check(hipMemcpyFromSymbol(&first, HIP_SYMBOL(table), sizeof first));
    EXPECT_EQ(first, 4242);
}

__device__ __attribute__((noinline)) int called(int a, int b) { return a * b + 5; }
__global__ void call(int* out, int n)
{
    int s = 0;
    for(int i = 0; i < n; ++i)
        s = called(s, i + threadIdx.x);
    out[threadIdx.x] = s;
}
TEST(EmulatedLaunch, CallsFunctions)
{
    const DeviceArray<int> out(64);
    call<<<1, 64>>>(out, 5);
    const std::vector<int> values = out.read();
    for(int t = 0; t < 64; ++t)
    {
        int s = 0;
        for(int i = 0; i < 5; ++i)
            s = s * (i + t) + 5;
        EXPECT_EQ(values[t], s) << t;
    }
}

__global__ void index_scratch(int* out, int k)
{
    int values[40]; // indexed by what the compiler does not know
    for(int i = 0; i < 40; ++i)
        values[i] = i * threadIdx.x + k;
    int s = 0;
    for(int i = 0; i < 40; ++i)
        s += values[(i * k + threadIdx.x) % 40] * (i + 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
TEST(EmulatedLaunch, HasScratchOfEachLane)
{
    constexpr int k = 7;
    const DeviceArray<int> out(256);
    index_scratch<<<2, 128>>>(out, k);
    const std::vector<int> values = out.read();
    for(int i = 0; i < 256; ++i)
    {
        const int t = i % 128;
        int s       = 0;
        for(int j = 0; j < 40; ++j)
            s += ((j * k + t) % 40 * t + k) * (j + 1);
        ASSERT_EQ(values[i], s) << i;
    }
}

} // namespace emulator_test::launches
