// One warp waits for the steps of another.
#include "ck/arch/progress.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <array>

namespace ck::arch {
namespace {

/// The second warp waits for all steps of the first one's first thread.
struct Follow
{
    static constexpr index_t block_size = 64, steps = 5;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::mma_sync;
    struct Params
    {
        index_t* out; // steps seen by each thread at the end
    };
    struct SharedStorage
    {
        Progress progress;
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = thread_index();
        if(thread == 0)
            shared.progress.prepare();
        block_sync();
        if(thread == 0)
        {
            for(index_t i = 0; i < steps; ++i)
                shared.progress.advance();
            shared.progress.advance(100);
        }
        const index_t waited = thread < 32 ? 0 : shared.progress.wait(steps + 100);
        block_sync();
        p.out[thread] = thread < 32 ? shared.progress.steps() : waited;
    }
};

TEST(Progress, OfAnotherThreadIsSeen)
{
    CK_SKIP_KERNEL_WITHOUT(Follow::requirement);
    std::array<index_t, Follow::block_size> out;
    const DeviceMem memory(sizeof out);
    HIP_CHECK_ERROR(launch<Follow>(1, nullptr, {static_cast<index_t*>(memory.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    memory.FromDevice(out.data());
    for(const index_t seen : out)
        EXPECT_EQ(seen, Follow::steps + 100);
}

} // namespace
} // namespace ck::arch
