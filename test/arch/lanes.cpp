// Each lane reads the value of the lane that it names, or of its partner.
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

/// On every target, with waves of any size.
template <class T>
struct ExchangeWithPartner
{
    static constexpr index_t block_size        = 128;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::none;
    struct Params
    {
        T* out;
        index_t mask;
    };
    struct SharedStorage
    {};

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const index_t thread = thread_index();
        p.out[thread]        = from_lane_xor(static_cast<T>(thread) + T(0.25), p.mask);
    }
};

template <class T>
void exchange_with_partners()
{
    using Kernel = ExchangeWithPartner<T>;
    for(const index_t mask : {1, 2, 7, 16, 31})
    {
        std::array<T, Kernel::block_size> out;
        const DeviceMem memory(sizeof out);
        HIP_CHECK_ERROR(
            launch<Kernel>(1, nullptr, {static_cast<T*>(memory.GetDeviceBuffer()), mask}));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        memory.FromDevice(out.data());
        for(index_t thread = 0; thread < Kernel::block_size; ++thread)
            EXPECT_EQ(out[static_cast<std::size_t>(thread)],
                      static_cast<T>(thread ^ mask) + T(0.25));
    }
}

TEST(Lanes, GetWhatTheirPartnerHas)
{
    exchange_with_partners<float>();
    exchange_with_partners<double>();
}

} // namespace
} // namespace ck::arch
