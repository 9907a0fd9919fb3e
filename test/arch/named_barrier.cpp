// Some warps of a block meet at a barrier again and again, while the others go on.
#include "ck/arch/named_barrier.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <array>

namespace ck::arch {
namespace {

/// Each of two warps of three writes its number and reads that of the other's lane, in rounds.
struct MeetInRounds
{
    static constexpr index_t block_size = 96, meeting = 64, rounds = 5;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::mma_sync;
    struct Params
    {
        index_t* out; // [round][thread]
    };
    struct SharedStorage
    {
        index_t number[meeting];
        NamedBarrier<meeting> point;
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = thread_index();
        if(thread == 0)
        {
            shared.point.prepare();
            publish_barriers();
        }
        block_sync();
        if(thread >= meeting)
            return;
        for(index_t round = 0; round < rounds; ++round)
        {
            shared.number[thread] = 100 * round + thread;
            shared.point.arrive_and_wait();
            p.out[round * meeting + thread] = shared.number[(thread + meeting / 2) % meeting];
            shared.point.arrive_and_wait();
        }
    }
};

TEST(NamedBarrier, WhatTheOthersWroteIsSeenAfter)
{
    CK_SKIP_KERNEL_WITHOUT(MeetInRounds::requirement);
    std::array<index_t, MeetInRounds::rounds * MeetInRounds::meeting> out;
    const DeviceMem memory(sizeof out);
    HIP_CHECK_ERROR(
        launch<MeetInRounds>(1, nullptr, {static_cast<index_t*>(memory.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    memory.FromDevice(out.data());
    for(index_t round = 0; round < MeetInRounds::rounds; ++round)
        for(index_t thread = 0; thread < MeetInRounds::meeting; ++thread)
            EXPECT_EQ(out[static_cast<std::size_t>(round * MeetInRounds::meeting + thread)],
                      100 * round + (thread + MeetInRounds::meeting / 2) % MeetInRounds::meeting);
}

} // namespace
} // namespace ck::arch
