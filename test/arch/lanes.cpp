// Each lane reads the value of the lane that it names.
#include "ck/arch/lanes.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <array>

namespace ck::arch {
namespace {

/// Two waves of 64.
struct Exchange
{
    static constexpr index_t block_size        = 128;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::mfma;
    struct Params
    {
        std::uint32_t* out;
    };
    struct SharedStorage
    {};

    /// Which lane a lane names: some are named twice, some never.
    static constexpr index_t named(index_t lane) { return lane * lane % 61; }

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const index_t thread = thread_index(), lane = thread % 64;
        p.out[thread] = from_lane<64>(static_cast<std::uint32_t>(1000 + thread), lane * lane % 61);
    }
};

TEST(Lanes, GetWhatTheLaneHasThatTheyName)
{
    CK_SKIP_KERNEL_WITHOUT(Exchange::requirement);
    std::array<std::uint32_t, Exchange::block_size> out;
    const DeviceMem memory(sizeof out);
    HIP_CHECK_ERROR(
        launch<Exchange>(1, nullptr, {static_cast<std::uint32_t*>(memory.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    memory.FromDevice(out.data());
    for(index_t thread = 0; thread < Exchange::block_size; ++thread)
        EXPECT_EQ(
            out[static_cast<std::size_t>(thread)],
            static_cast<std::uint32_t>(1000 + thread / 64 * 64 + Exchange::named(thread % 64)));
}

} // namespace
} // namespace ck::arch
