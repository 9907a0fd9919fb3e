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

/// Several waves of `lanes`, on GPUs that meet the requirement.
template <index_t lanes, Requirement of_gpu>
struct Exchange
{
    static constexpr index_t block_size        = 128;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = of_gpu;
    struct Params
    {
        std::uint32_t* out;
    };
    struct SharedStorage
    {};

    /// Which lane a lane names: some are named twice, some never.
    static constexpr index_t named(index_t lane) { return lane * lane % 61 % lanes; }

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const index_t thread = thread_index();
        p.out[thread] =
            from_lane<lanes>(static_cast<std::uint32_t>(1000 + thread), named(thread % lanes));
    }
};

template <typename Kernel, index_t lanes>
void expect_the_named_lanes()
{
    CK_SKIP_KERNEL_WITHOUT(Kernel::requirement);
    std::array<std::uint32_t, Kernel::block_size> out;
    const DeviceMem memory(sizeof out);
    HIP_CHECK_ERROR(
        launch<Kernel>(1, nullptr, {static_cast<std::uint32_t*>(memory.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    memory.FromDevice(out.data());
    for(index_t thread = 0; thread < Kernel::block_size; ++thread)
        EXPECT_EQ(out[static_cast<std::size_t>(thread)],
                  static_cast<std::uint32_t>(1000 + thread / lanes * lanes +
                                             Kernel::named(thread % lanes)));
}

TEST(Lanes, GetWhatTheLaneHasThatTheyName)
{
    expect_the_named_lanes<Exchange<64, Requirement::mfma>, 64>();
}

TEST(Lanes, GetWhatTheLaneOfAWarpHasThatTheyName)
{
    expect_the_named_lanes<Exchange<32, Requirement::mma_sync>, 32>();
}

} // namespace
} // namespace ck::arch
