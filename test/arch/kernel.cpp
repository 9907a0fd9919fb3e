// The kernel entry, on every platform: grids, shared memory, streams, repeated launches.
#include "ck/arch/kernel.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/hip_check_error.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using ck::index_t;
using namespace ck::arch;

/// Sums blocks of `block_size * per_thread` integers by halving in shared memory.
template <index_t threads, index_t per_thread>
struct BlockSum
{
    struct Params
    {
        const int* x;
        int* sum; // one sum for each block
    };
    struct SharedStorage
    {
        int partial[threads * per_thread];
    };
    static constexpr index_t block_size = threads, min_blocks_per_cu = 1;
    static constexpr Requirement requirement = Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        constexpr index_t tile = threads * per_thread;
        const index_t t        = thread_index();
        const index_t block    = uniform(block_index());
        for(index_t i = t; i < tile; i += threads)
            shared.partial[i] = p.x[block * tile + i];
        block_sync();
        for(index_t half = tile / 2; half > 0; half /= 2)
        {
            for(index_t i = t; i < half; i += threads)
                shared.partial[i] += shared.partial[i + half];
            block_sync();
        }
        if(t == 0)
            p.sum[block] = shared.partial[0];
    }
};

template <class T>
class DeviceArray
{
public:
    explicit DeviceArray(const std::vector<T>& values) : size_{values.size()}
    {
        HIP_CHECK_ERROR(hipMalloc(&data_, size_ * sizeof(T)));
        HIP_CHECK_ERROR(hipMemcpy(data_, values.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
    }
    ~DeviceArray() { static_cast<void>(hipFree(data_)); }
    DeviceArray(const DeviceArray&)            = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return data_; }
    std::vector<T> read() const
    {
        std::vector<T> values(size_);
        HIP_CHECK_ERROR(hipMemcpy(values.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

template <class Kernel>
void check_sums(index_t grid, hipStream_t stream = nullptr)
{
    constexpr index_t tile = sizeof(typename Kernel::SharedStorage) / sizeof(int);
    std::vector<int> x(static_cast<std::size_t>(grid) * tile), expected(grid);
    for(std::size_t i = 0; i < x.size(); ++i)
    {
        x[i] = static_cast<int>(i * 7919 % 1009);
        expected[i / tile] += x[i];
    }
    const DeviceArray<int> device_x(x), device_sum(std::vector<int>(grid, -1));
    ASSERT_EQ(launch<Kernel>(grid, stream, {device_x.data(), device_sum.data()}), hipSuccess);
    HIP_CHECK_ERROR(hipStreamSynchronize(stream));
    EXPECT_EQ(device_sum.read(), expected);
}

TEST(Kernel, SumsOfOneBlock) { check_sums<BlockSum<256, 2>>(1); }

TEST(Kernel, SumsOfManyBlocks) { check_sums<BlockSum<256, 1>>(1000); }

TEST(Kernel, BlocksOfOneWaveToTheLargest)
{
    check_sums<BlockSum<32, 1>>(7);
    check_sums<BlockSum<64, 4>>(7);
    check_sums<BlockSum<512, 1>>(7);
    check_sums<BlockSum<1024, 1>>(7);
}

TEST(Kernel, SharedMemoryOf64KiB)
{
    for(int repeat = 0; repeat < 3; ++repeat)
        check_sums<BlockSum<256, 64>>(5);
}

TEST(Kernel, OnAStream)
{
    hipStream_t stream{};
    HIP_CHECK_ERROR(hipStreamCreate(&stream));
    check_sums<BlockSum<128, 2>>(33, stream);
    HIP_CHECK_ERROR(hipStreamDestroy(stream));
}

TEST(Kernel, EmptyGridSucceedsWithoutALaunch)
{
    EXPECT_EQ((launch<BlockSum<64, 1>>(0, nullptr, {nullptr, nullptr})), hipSuccess);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
}

TEST(Kernel, RefusesNegativeGrids)
{
    EXPECT_EQ((launch<BlockSum<64, 1>>(-1, nullptr, {nullptr, nullptr})),
              hipErrorInvalidConfiguration);
}

TEST(Kernel, AlternatingKernels)
{
    for(int repeat = 0; repeat < 10; ++repeat)
    {
        check_sums<BlockSum<64, 1>>(20);
        check_sums<BlockSum<256, 4>>(3);
    }
}

} // namespace
