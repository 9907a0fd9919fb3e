// Arithmetic, atomics, buffer descriptors and operations across lanes, as a compiler uses them.
#include "device_array.hpp"
#include <cmath>
#include <cstring>

namespace emulator_test::operations {

__global__ void add_atomically(float* sum, int* counts, unsigned long long* largest, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, 0.5f);
    atomicAdd(&counts[i & 7], 1);
    atomicMax(largest, static_cast<unsigned long long>(i) * 11);
    if(i < n)
        atomicCAS(&counts[8], i, i + 1);
}
TEST(EmulatedOperations, AtomicsOfGlobalMemory)
{
    const DeviceArray<float> sum(1);
    const DeviceArray<int> counts(9);
    const DeviceArray<unsigned long long> largest(1);
    add_atomically<<<10, 100>>>(sum, counts, largest, 1);
    EXPECT_EQ(sum.read()[0], 500.f);
    for(int i = 0; i < 8; ++i)
        EXPECT_EQ(counts.read()[i], 125) << i;
    EXPECT_EQ(counts.read()[8], 1);
    EXPECT_EQ(largest.read()[0], 999u * 11);
}

__global__ void add_in_lds(float* out)
{
    __shared__ float sum;
    __shared__ int count;
    if(threadIdx.x == 0)
        sum = count = 0;
    __syncthreads();
    atomicAdd(&sum, 1.5f);
    atomicAdd(&count, 2);
    __syncthreads();
    if(threadIdx.x == 0)
    {
        out[0] = sum;
        out[1] = count;
    }
}
TEST(EmulatedOperations, AtomicsOfLds)
{
    const DeviceArray<float> out(2);
    add_in_lds<<<1, 256>>>(out);
    EXPECT_EQ(out.read(), (std::vector<float>{384, 512}));
}

__global__ void look_up_bits(const unsigned* in, unsigned* out)
{
    const unsigned a = in[threadIdx.x], b = in[threadIdx.x + 1], c = in[threadIdx.x + 2];
#if defined(__gfx950__)
    out[threadIdx.x] = __builtin_amdgcn_bitop3_b32(a, b, c, 0xd8);
#else
    out[threadIdx.x] = (a & b) | (~c & a) | (~a & b & c);   // the same where no instruction is
#endif
}
TEST(EmulatedOperations, BitsByTable)
{
    std::vector<unsigned> in(66);
    for(unsigned i = 0; i < in.size(); ++i)
        in[i] = i * 0x9e3779b9u;
    const DeviceArray<unsigned> input(in), out(64);
    look_up_bits<<<1, 64>>>(input, out);
    const std::vector<unsigned> result = out.read();
    for(int t = 0; t < 64; ++t)
    {
        unsigned expected = 0;
        for(int bit = 0; bit < 32; ++bit)
        {
            const auto of = [&](int i) { return in[t + i] >> bit & 1; };
            expected |= (0xd8u >> (of(0) * 4 + of(1) * 2 + of(2)) & 1) << bit;
        }
        EXPECT_EQ(result[t], expected) << t;
    }
}

__global__ void saturate(const int* in, int* out)
{
    const int a = in[threadIdx.x], b = in[threadIdx.x + 64];
    const auto u = static_cast<unsigned>(a), v = static_cast<unsigned>(b);
    out[4 * threadIdx.x]     = __builtin_elementwise_add_sat(a, b);
    out[4 * threadIdx.x + 1] = __builtin_elementwise_sub_sat(a, b);
    out[4 * threadIdx.x + 2] = static_cast<int>(__builtin_elementwise_add_sat(u, v));
    out[4 * threadIdx.x + 3] = static_cast<int>(__builtin_elementwise_sub_sat(u, v));
}
TEST(EmulatedOperations, SumsThatSaturate)
{
    std::vector<int> in(128);
    for(unsigned i = 0; i < in.size(); ++i)
        in[i] = static_cast<int>(i * 0x9e3779b9u);
    const DeviceArray<int> input(in), out(256);
    saturate<<<1, 64>>>(input, out);
    const std::vector<int> result = out.read();
    const auto within             = [](long long x, long long low, long long high) {
        return static_cast<int>(x < low ? low : x > high ? high : x);
    };
    for(int t = 0; t < 64; ++t)
    {
        const long long a = in[t], b = in[t + 64], u = static_cast<unsigned>(in[t]),
                        v = static_cast<unsigned>(in[t + 64]);
        EXPECT_EQ(result[4 * t], within(a + b, -0x80000000ll, 0x7fffffffll)) << t;
        EXPECT_EQ(result[4 * t + 1], within(a - b, -0x80000000ll, 0x7fffffffll)) << t;
        EXPECT_EQ(result[4 * t + 2], within(u + v, 0, 0xffffffffll)) << t;
        EXPECT_EQ(result[4 * t + 3], within(u - v, 0, 0xffffffffll)) << t;
    }
}

// Buffer instructions, by the intrinsics that __builtin_amdgcn_raw_buffer_* are not everywhere.
using Int4 = int __attribute__((ext_vector_type(4)));
__device__ Int4 load_4(Int4 descriptor,
                       int offset,
                       int base,
                       int cache) __asm("llvm.amdgcn.raw.buffer.load.v4i32");
__device__ int
load_1(Int4 descriptor, int offset, int base, int cache) __asm("llvm.amdgcn.raw.buffer.load.i32");
__device__ short
load_16(Int4 descriptor, int offset, int base, int cache) __asm("llvm.amdgcn.raw.buffer.load.i16");
__device__ void store_4(Int4 data, Int4 descriptor, int offset, int base, int cache) __asm(
    "llvm.amdgcn.raw.buffer.store.v4i32");
__device__ void store_1(int data, Int4 descriptor, int offset, int base, int cache) __asm(
    "llvm.amdgcn.raw.buffer.store.i32");
__device__ float add_1(float data, Int4 descriptor, int offset, int base, int cache) __asm(
    "llvm.amdgcn.raw.buffer.atomic.fadd.f32");
#if defined(__GFX11__) || defined(__GFX12__)
#define DESCRIPTOR_WORD_3 0x31004000
#elif defined(__GFX10__)
#define DESCRIPTOR_WORD_3 0x31014000
#else
#define DESCRIPTOR_WORD_3 0x00020000
#endif
__device__ Int4 descriptor_of(const void* p, int bytes)
{
    const auto address = reinterpret_cast<unsigned long long>(p);
    return {__builtin_amdgcn_readfirstlane(static_cast<int>(address)),
            __builtin_amdgcn_readfirstlane(static_cast<int>(address >> 32) & 0xffff),
            __builtin_amdgcn_readfirstlane(bytes),
            DESCRIPTOR_WORD_3};
}
__global__ void
use_buffers(const int* in, int n, int* ones, int* fours, short* halves, int* stored, float* sums)
{
    const int t      = threadIdx.x;
    const Int4 input = descriptor_of(in, n * 4);
    ones[t]          = load_1(input, t * 4, 0, 0); // outside for t >= n
    const Int4 four  = load_4(input, t * 16, 0, 0);
    for(int i = 0; i < 4; ++i)
        fours[t * 4 + i] = four[i];
    halves[t]         = load_16(input, t * 2, 8, 0);
    const Int4 output = descriptor_of(stored, n * 4);
    store_1(t + 100, output, t * 4, 0, 0); // dropped for t >= n
    store_4(four, output, (t & 3) * 16 + (t < 4 ? 0 : 0x40000000), 0, 0);
#if defined(__gfx908__) || defined(__gfx906__) ||                                                  \
    defined(__GFX10__) // lacks the instruction, or one that returns
    if((t & 7) < 4)
        atomicAdd(&sums[t & 7], 1.f);
#else
    add_1(1.f, descriptor_of(sums, 16), (t & 7) * 4, 0, 0); // only elements 0 to 3 are inside
#endif
}
TEST(EmulatedOperations, BufferDescriptorsEndWhereTheySay)
{
    constexpr int n = 22;
    std::vector<int> in(n);
    for(int i = 0; i < n; ++i)
        in[i] = 1000 + i;
    const DeviceArray<int> input(in), ones(32), fours(128), stored(64);
    const DeviceArray<short> halves(32);
    const DeviceArray<float> sums(8);
    use_buffers<<<1, 32>>>(input, n, ones, fours, halves, stored, sums);
    const std::vector<int> loaded_1 = ones.read(), loaded_4 = fours.read(), after = stored.read();
    for(int t = 0; t < 32; ++t)
    {
        EXPECT_EQ(loaded_1[t], t < n ? in[t] : 0) << t;
        short expected = 0;
        if(t * 2 + 8 < n * 4)
            std::memcpy(&expected, reinterpret_cast<const char*>(in.data()) + 2 * t + 8, 2);
        EXPECT_EQ(halves.read()[t], expected) << t;
    }
    for(int i = 0; i < 128; ++i)
        EXPECT_EQ(loaded_4[i], i < n ? in[i] : 0) << i;
    for(int i = 0; i < 64; ++i)
        EXPECT_EQ(after[i], i < 16 ? in[i] : i < n ? i + 100 : 0) << i;
    EXPECT_EQ(sums.read(), (std::vector<float>{4, 4, 4, 4, 0, 0, 0, 0}));
}

__global__ void cross_lanes(int* out, unsigned long long* mask)
{
    const int t  = threadIdx.x;
    out[t]       = __shfl_xor(t * 10, 5);
    out[64 + t]  = __shfl_down(t, 3);
    out[128 + t] = __builtin_amdgcn_ds_swizzle(t, 0x041f);                     // lane ^ 1
    out[192 + t] = __builtin_amdgcn_update_dpp(-1, t, 0x111, 0xf, 0xf, false); // row_shr:1
    out[256 + t] = __builtin_amdgcn_readlane(t * 2, 9);
    out[320 + t] = __builtin_amdgcn_mov_dpp(t, 0x1b, 0xf, 0xf, true); // quad_perm:[3,2,1,0]
    const unsigned long long thirds = __ballot(t % 3 == 0);
    if(t == 0)
        *mask = thirds;
}
TEST(EmulatedOperations, LanesReadEachOther)
{
    const int lanes = wave_size();
    const DeviceArray<int> out(384);
    const DeviceArray<unsigned long long> mask(1);
    cross_lanes<<<1, lanes>>>(out, mask);
    const std::vector<int> r  = out.read();
    unsigned long long thirds = 0;
    for(int t = 0; t < lanes; ++t)
    {
        EXPECT_EQ(r[t], (t ^ 5) * 10) << t;
        EXPECT_EQ(r[64 + t], t + 3 < lanes ? t + 3 : t) << t;
        EXPECT_EQ(r[128 + t], t ^ 1) << t;
        EXPECT_EQ(r[192 + t], t % 16 != 0 ? t - 1 : -1) << t;
        EXPECT_EQ(r[256 + t], 18) << t;
        EXPECT_EQ(r[320 + t], t / 4 * 4 + 3 - t % 4) << t;
        thirds |= static_cast<unsigned long long>(t % 3 == 0) << t;
    }
    EXPECT_EQ(mask.read()[0], thirds);
}

__global__ void calculate(const float* x, float* out, double* doubles, int* integers)
{
    const int t       = threadIdx.x;
    const float v     = x[t];
    out[t]            = v / 3.7f;
    out[64 + t]       = sqrtf(fabsf(v));
    out[128 + t]      = expf(v * 0.1f);
    out[192 + t]      = static_cast<float>(static_cast<_Float16>(v));
    out[256 + t]      = floorf(v) + fminf(v, 0.5f);
    doubles[t]        = v * 1.25 + 1.0 / (t + 1.0);
    integers[t]       = (t * 77 - 1000) / 13;
    integers[64 + t]  = static_cast<int>(static_cast<unsigned>(t * 12345u) % 97u);
    integers[128 + t] = static_cast<int>(v);
    integers[192 + t] = __popc(t * 0x9e3779b9u) + __clz(t + 1);
}
TEST(EmulatedOperations, Arithmetic)
{
    std::vector<float> x(64);
    for(int i = 0; i < 64; ++i)
        x[i] = (i - 31) * 1.37f;
    const DeviceArray<float> in(x), out(320);
    const DeviceArray<double> doubles(64);
    const DeviceArray<int> integers(256);
    calculate<<<1, 64>>>(in, out, doubles, integers);
    const std::vector<float> f  = out.read();
    const std::vector<double> d = doubles.read();
    const std::vector<int> i    = integers.read();
    for(int t = 0; t < 64; ++t)
    {
        const float v = x[t];
        EXPECT_EQ(f[t], v / 3.7f) << t;
        EXPECT_NEAR(f[64 + t], std::sqrt(std::fabs(v)), 1e-6f * std::fabs(v)) << t;
        EXPECT_NEAR(f[128 + t], std::exp(v * 0.1f), 1e-5f * std::exp(v * 0.1f)) << t;
        EXPECT_EQ(f[192 + t], static_cast<float>(static_cast<_Float16>(v))) << t;
        EXPECT_EQ(f[256 + t], std::floor(v) + std::fmin(v, 0.5f)) << t;
        EXPECT_NEAR(d[t], v * 1.25 + 1.0 / (t + 1.0), 1e-13) << t;
        EXPECT_EQ(i[t], (t * 77 - 1000) / 13) << t;
        EXPECT_EQ(i[64 + t], static_cast<int>(static_cast<unsigned>(t * 12345u) % 97u)) << t;
        EXPECT_EQ(i[128 + t], static_cast<int>(v)) << t;
        EXPECT_EQ(i[192 + t], __builtin_popcount(t * 0x9e3779b9u) + __builtin_clz(t + 1)) << t;
    }
}

} // namespace emulator_test::operations
