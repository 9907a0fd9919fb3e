// A matrix product in tiles of 128x128, double-buffered in 40 KiB of LDS, with the device's matrix
// instructions: loads, LDS, barriers and matrix instructions of several waves together. Values are
// small fractions, so the result is exact.
#include "device_array.hpp"

namespace emulator_test::gemm {

using half = _Float16;
template <class T, int n>
using Vector = T __attribute__((ext_vector_type(n)));

constexpr int tile_m = 128, tile_n = 128, tile_k = 32, pitch = tile_k + 8;

struct Tile
{
    half a[2][tile_m * pitch], b[2][tile_n * pitch];
};

#if defined(__gfx90a__) || defined(__gfx942__)
/// The part of one of four waves, 64x64.
struct Wave
{
    Vector<float, 16> sums[2][2] = {};
    int lane = threadIdx.x % 64, m = threadIdx.x / 64 / 2 * 64, n = threadIdx.x / 64 % 2 * 64;

    __device__ void multiply(const Tile& tile, int buffer)
    {
        for(int k = 0; k < tile_k; k += 8)
        {
            Vector<half, 4> a[2], b[2];
            for(int i = 0; i < 2; ++i)
            {
                const int row = 32 * i + lane % 32, column = k + lane / 32 * 4;
                __builtin_memcpy(&a[i], &tile.a[buffer][(m + row) * pitch + column], 8);
                __builtin_memcpy(&b[i], &tile.b[buffer][(n + row) * pitch + column], 8);
            }
            for(int i = 0; i < 2; ++i)
                for(int j = 0; j < 2; ++j)
                    sums[i][j] =
                        __builtin_amdgcn_mfma_f32_32x32x8f16(a[i], b[j], sums[i][j], 0, 0, 0);
        }
    }
    template <class Store>
    __device__ void store(Store put) const
    {
        for(int i = 0; i < 2; ++i)
            for(int j = 0; j < 2; ++j)
                for(int v = 0; v < 16; ++v)
                    put(m + 32 * i + 8 * (v / 4) + 4 * (lane / 32) + v % 4,
                        n + 32 * j + lane % 32,
                        sums[i][j][v]);
    }
};
#elif defined(__GFX11__) || defined(__GFX12__)
/// The part of one of eight waves, 64x32.
struct Wave
{
    Vector<float, 8> sums[4][2] = {};
    int lane = threadIdx.x % 32, m = threadIdx.x / 32 / 4 * 64, n = threadIdx.x / 32 % 4 * 32;

    // gfx11 has all of k in each lane, gfx12 a half of it in each half of the wave.
#if defined(__GFX11__)
    static constexpr int elements = 16;
    __device__ int first_k() const { return 0; }
    __device__ int row(int v) const { return 2 * v + lane / 16; }
#else
    static constexpr int elements = 8;
    __device__ int first_k() const { return lane / 16 * 8; }
    __device__ int row(int v) const { return 8 * (lane / 16) + v; }
#endif

    __device__ void multiply(const Tile& tile, int buffer)
    {
        for(int k = 0; k < tile_k; k += 16)
        {
            Vector<half, elements> a[4], b[2];
            for(int i = 0; i < 4; ++i)
                __builtin_memcpy(&a[i],
                                 &tile.a[buffer][(m + 16 * i + lane % 16) * pitch + k + first_k()],
                                 sizeof a[i]);
            for(int j = 0; j < 2; ++j)
                __builtin_memcpy(&b[j],
                                 &tile.b[buffer][(n + 16 * j + lane % 16) * pitch + k + first_k()],
                                 sizeof b[j]);
            for(int i = 0; i < 4; ++i)
                for(int j = 0; j < 2; ++j)
#if defined(__GFX11__)
                    sums[i][j] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[i], b[j], sums[i][j]);
#else
                    sums[i][j] =
                        __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a[i], b[j], sums[i][j]);
#endif
        }
    }
    template <class Store>
    __device__ void store(Store put) const
    {
        for(int i = 0; i < 4; ++i)
            for(int j = 0; j < 2; ++j)
                for(int v = 0; v < 8; ++v)
                    put(m + 16 * i + row(v), n + 16 * j + lane % 16, sums[i][j][v]);
    }
};
#else // a target without matrix instructions: the test is skipped there
struct Wave
{
    __device__ void multiply(const Tile&, int) {}
    template <class Store>
    __device__ void store(Store) const
    {}
};
#endif

/// C[m, n] = A[m, k] * B[n, k], all of whole tiles.
__global__
    __launch_bounds__(256) void multiply(const half* a, const half* b, float* c, int n, int k)
{
    __shared__ Tile tile;
    const int first_m = blockIdx.y * tile_m, first_n = blockIdx.x * tile_n;
    Vector<half, 8> next_a[2], next_b[2]; // two vectors of each for a thread
    const auto row    = [](int r) { return (threadIdx.x + r * 256) / 4; };
    const auto column = [](int r) { return (threadIdx.x + r * 256) % 4 * 8; };
    const auto fetch  = [&](int first_k) {
        for(int r = 0; r < 2; ++r)
        {
            const int at = first_k + column(r);
            __builtin_memcpy(&next_a[r], &a[(first_m + row(r)) * k + at], 16);
            __builtin_memcpy(&next_b[r], &b[(first_n + row(r)) * k + at], 16);
        }
    };
    const auto put = [&](int buffer) {
        for(int r = 0; r < 2; ++r)
        {
            __builtin_memcpy(&tile.a[buffer][row(r) * pitch + column(r)], &next_a[r], 16);
            __builtin_memcpy(&tile.b[buffer][row(r) * pitch + column(r)], &next_b[r], 16);
        }
    };
    fetch(0);
    put(0);
    __syncthreads();
    Wave wave;
    for(int first_k = 0, buffer = 0; first_k < k; first_k += tile_k, buffer ^= 1)
    {
        const bool more = first_k + tile_k < k;
        if(more)
            fetch(first_k + tile_k);
        wave.multiply(tile, buffer);
        if(more)
            put(buffer ^ 1);
        __syncthreads();
    }
    wave.store([&](int i, int j, float value) { c[(first_m + i) * n + first_n + j] = value; });
}

TEST(EmulatedGemm, IsExact)
{
    const std::string device = device_name();
    if(device != "gfx90a" && device != "gfx942" && !device.starts_with("gfx11") &&
       !device.starts_with("gfx12"))
        GTEST_SKIP() << "the kernel has no matrix instructions of " << device;
    constexpr int m = 256, n = 128, k = 96;
    std::vector<half> a(m * k), b(n * k);
    unsigned state    = 7;
    const auto random = [&] {
        state = state * 1664525u + 1013904223u;
        return static_cast<half>((static_cast<int>(state >> 24) - 128) / 64.f);
    };
    for(half& x : a)
        x = random();
    for(half& x : b)
        x = random();
    const DeviceArray<float> c(m * n, -1.f);
    multiply<<<dim3(n / tile_n, m / tile_m), 256>>>(
        DeviceArray<half>(a), DeviceArray<half>(b), c, n, k);
    const std::vector<float> result = c.read();
    for(int i = 0; i < m; ++i)
        for(int j = 0; j < n; ++j)
        {
            double sum = 0;
            for(int e = 0; e < k; ++e)
                sum += static_cast<double>(a[i * k + e]) * static_cast<double>(b[j * k + e]);
            ASSERT_EQ(result[i * n + j], sum) << i << ", " << j;
        }
}

} // namespace emulator_test::gemm
