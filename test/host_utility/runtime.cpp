// The runtime's names: memory, errors, streams and events, on every platform.
#include "ck/host_utility/runtime.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

TEST(Runtime, AllocatesAlignedMemory)
{
    for(const std::size_t bytes : {1, 3, 64, 4097})
    {
        void* p = nullptr;
        ASSERT_EQ(hipMalloc(&p, bytes), hipSuccess);
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
        EXPECT_EQ(hipFree(p), hipSuccess);
    }
}

TEST(Runtime, EmptyAllocationIsHarmless)
{
    void* p = &p;
    EXPECT_EQ(hipMalloc(&p, 0), hipSuccess);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(hipFree(p), hipSuccess);
    EXPECT_EQ(hipFree(nullptr), hipSuccess);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST(Runtime, TypedAllocations)
{
    float* device = nullptr;
    ASSERT_EQ(hipMalloc(&device, 4 * sizeof(float)), hipSuccess);
    int* pinned = nullptr;
    ASSERT_EQ(hipHostMalloc(&pinned, 4 * sizeof(int)), hipSuccess);
    pinned[3] = 7;
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
    EXPECT_EQ(hipFree(device), hipSuccess);
}

// On AMD the names are the runtime's own; what it refuses, and how, is not ours to promise.
#if !defined(CK_RUNTIME_HIP)
TEST(Runtime, ErrorsAreReturnedAndKept)
{
    void* p = nullptr;
    EXPECT_EQ(hipMalloc(&p, std::size_t{1} << 60), hipErrorOutOfMemory);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorOutOfMemory);
    EXPECT_EQ(hipGetLastError(), hipErrorOutOfMemory);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(hipMalloc(static_cast<void**>(nullptr), 4), hipErrorInvalidValue);
    EXPECT_EQ(hipMemset(nullptr, 0, 4), hipErrorInvalidValue);
    EXPECT_EQ(hipSetDevice(100000), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
    EXPECT_FALSE(std::string(hipGetErrorString(hipErrorOutOfMemory)).empty());
    EXPECT_NE(std::string(hipGetErrorName(hipErrorInvalidValue)), hipGetErrorName(hipSuccess));
}

TEST(Runtime, ElapsedTimeNeedsTwoTimedRecords)
{
    hipEvent_t start{}, untimed{};
    ASSERT_EQ(hipEventCreate(&start), hipSuccess);
    ASSERT_EQ(hipEventCreateWithFlags(&untimed, hipEventDisableTiming), hipSuccess);
    float milliseconds = -1;
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, start), hipErrorInvalidHandle)
        << "it was not recorded";
    EXPECT_EQ(hipEventRecord(start), hipSuccess);
    EXPECT_EQ(hipEventRecord(untimed), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, untimed), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventDestroy(start), hipSuccess);
    EXPECT_EQ(hipEventDestroy(untimed), hipSuccess);
    (void)hipGetLastError();
}
#endif

TEST(Runtime, CopiesAndSets)
{
    const std::vector<std::uint8_t> from{1, 2, 3, 4, 5, 6, 7};
    std::vector<std::uint8_t> to(7, 0);
    std::uint8_t *a = nullptr, *b = nullptr;
    hipStream_t stream{};
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    ASSERT_EQ(hipMalloc(&a, 7), hipSuccess);
    ASSERT_EQ(hipMalloc(&b, 7), hipSuccess);
    EXPECT_EQ(hipMemcpy(a, from.data(), 7, hipMemcpyHostToDevice), hipSuccess);
    EXPECT_EQ(hipMemsetAsync(a + 2, 9, 3, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(b, a, 7, hipMemcpyDeviceToDevice, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(to.data(), b, 7, hipMemcpyDeviceToHost, stream), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(to, (std::vector<std::uint8_t>{1, 2, 9, 9, 9, 6, 7}));
    EXPECT_EQ(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(hipMemset(nullptr, 0, 0), hipSuccess);
    EXPECT_EQ(hipFree(a), hipSuccess);
    EXPECT_EQ(hipFree(b), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST(Runtime, EventsMeasure)
{
    hipEvent_t start{}, stop{};
    ASSERT_EQ(hipEventCreate(&start), hipSuccess);
    ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
    EXPECT_EQ(hipEventRecord(start), hipSuccess);
    EXPECT_EQ(hipEventRecord(stop), hipSuccess);
    EXPECT_EQ(hipEventSynchronize(stop), hipSuccess);
    float milliseconds = -1;
    EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
    EXPECT_GE(milliseconds, 0);
    EXPECT_LT(milliseconds, 60'000);
    EXPECT_EQ(hipEventDestroy(start), hipSuccess);
    EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
}

TEST(Runtime, CopiesRowsOfAPitch)
{
    const char from[] = "abc.def.ghi";
    char to[16]       = "---------------";
    hipEvent_t event{};
    ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
    EXPECT_EQ(hipMemcpy2DAsync(to, 5, from, 4, 3, 3, hipMemcpyHostToHost, nullptr), hipSuccess);
    EXPECT_EQ(hipEventRecord(event, nullptr), hipSuccess);
    EXPECT_EQ(hipStreamWaitEvent(nullptr, event, 0), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
    EXPECT_EQ(hipStreamQuery(nullptr), hipSuccess);
    EXPECT_EQ(std::string(to), "abc--def--ghi--");
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_NE(hipMemcpy2DAsync(to, 2, from, 4, 3, 3, hipMemcpyHostToHost, nullptr), hipSuccess);
    (void)hipGetLastError();
}

TEST(Runtime, DeviceProperties)
{
    int count = 0, device = -1;
    ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
    ASSERT_GE(count, 1);
    ASSERT_EQ(hipGetDevice(&device), hipSuccess);
    EXPECT_GE(device, 0);
    EXPECT_EQ(hipSetDevice(device), hipSuccess);
    hipDeviceProp_t properties{};
    ASSERT_EQ(hipGetDeviceProperties(&properties, device), hipSuccess);
    EXPECT_GT(std::string(properties.name).size(), 0u);
    EXPECT_GT(std::string(properties.gcnArchName).size(), 0u);
    EXPECT_GT(properties.multiProcessorCount, 0);
    EXPECT_TRUE(properties.warpSize == 32 || properties.warpSize == 64);
    EXPECT_GE(properties.sharedMemPerBlock, std::size_t{48} << 10);
    EXPECT_GT(properties.totalGlobalMem, 0u);
    std::size_t free = 0, total = 0;
    ASSERT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
    EXPECT_LE(free, total);
    EXPECT_GT(total, 0u);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST(Runtime, Dim3)
{
    const dim3 grid(7, 3);
    EXPECT_EQ(grid.x, 7u);
    EXPECT_EQ(grid.y, 3u);
    EXPECT_EQ(grid.z, 1u);
}

#if defined(CK_RUNTIME_HOST)
TEST(Runtime, HostMemoryStartsAsNaN)
{
    float* p = nullptr;
    ASSERT_EQ(hipMalloc(&p, 100 * sizeof(float)), hipSuccess);
    for(int i = 0; i < 100; ++i)
        EXPECT_NE(p[i], p[i]);
    EXPECT_EQ(hipFree(p), hipSuccess);
}

TEST(Runtime, HostRefusals)
{
    char c = 0;
    EXPECT_EQ(hipMemcpy(&c, &c, 1, static_cast<hipMemcpyKind>(5)), hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(hipMemcpy(&c, nullptr, 1, hipMemcpyDefault), hipErrorInvalidValue);
    EXPECT_EQ(hipEventRecord(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamCreate(nullptr), hipErrorInvalidValue);
    (void)hipGetLastError();
}
#endif

} // namespace
