// Device properties, checked calls and environment switches.
#include "ck/host_utility/device_prop.hpp"

#include "ck/ck.hpp"
#include "ck/host_utility/environment.hpp"
#include "ck/host_utility/hip_check_error.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include "stand_in.hpp"
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

CK_DECLARE_ENV_VAR_BOOL(CK_TEST_SWITCH)

namespace {

std::string message(hipError_t error)
{
    try
    {
        HIP_CHECK_ERROR(error);
    }
    catch(const std::runtime_error& e)
    {
        return e.what();
    }
    return "";
}

TEST(AssumedComputeUnits, AreThoseOfThisThreadForAWhile)
{
    const ck::index_t real = ck::compute_unit_count();
    {
        const ck::AssumedComputeUnits h200(132);
        EXPECT_EQ(ck::compute_unit_count(), 132);
        {
            const ck::AssumedComputeUnits other(7);
            EXPECT_EQ(ck::compute_unit_count(), 7);
            std::thread([&] { EXPECT_EQ(ck::compute_unit_count(), real); }).join();
        }
        EXPECT_EQ(ck::compute_unit_count(), 132);
    }
    EXPECT_EQ(ck::compute_unit_count(), real);
}

TEST(HipCheckError, ThrowsNameAndPlace)
{
    EXPECT_NO_THROW(hip_check_error(hipSuccess));
    EXPECT_THROW(hip_check_error(hipErrorInvalidValue), std::runtime_error);
    EXPECT_EQ(message(hipSuccess), "");
    const std::string text = message(hipErrorInvalidValue);
    EXPECT_NE(text.find(hipGetErrorName(hipErrorInvalidValue)), std::string::npos) << text;
    EXPECT_NE(text.find("device_prop.cpp"), std::string::npos) << text;
}

TEST(HipCheckError, SaysWhatToDoWithoutAGpu)
{
    EXPECT_EQ(ck::why_no_device(hipSuccess, 1), "");
    const std::string none = ck::why_no_device(hipSuccess, 0);
    EXPECT_NE(none.find("found none"), std::string::npos) << none;
    EXPECT_NE(none.find("CK_PLATFORM=host"), std::string::npos) << none;
    EXPECT_EQ(ck::why_no_device(hipErrorNoDevice, 1), none); // the count is not set then
    // There is one here.
    EXPECT_EQ(message(hipErrorInvalidValue).find("found none"), std::string::npos);
}

TEST(DeviceProperties, NameAndTargetAgree)
{
    const std::string name = ck::get_device_name();
    EXPECT_EQ(name.find(':'), std::string::npos);
    EXPECT_EQ(ck::current_target(), ck::arch::target_from_name(name));
    EXPECT_EQ(ck::is_xdl_supported(), meets(ck::current_target(), ck::arch::Requirement::mfma));
    EXPECT_EQ(ck::is_gfx11_supported(), ck::current_target() == ck::arch::Target::gfx11);
    EXPECT_EQ(ck::is_gfx12_supported(), ck::current_target() == ck::arch::Target::gfx12);
    const bool rdna = ck::is_gfx101_supported() || ck::is_gfx103_supported() ||
                      ck::is_gfx11_supported() || ck::is_gfx12_supported();
    EXPECT_FALSE(rdna && ck::is_xdl_supported());
    EXPECT_FALSE(rdna && (ck::is_lds_direct_load_supported() || ck::is_bf16_atomic_supported()));
}

#if defined(CK_RUNTIME_HOST)
TEST(DeviceProperties, OfTheHost)
{
    if(!ck::test::stands_in(""))
        return;
    EXPECT_EQ(ck::get_device_name(), "host");
    EXPECT_EQ(ck::current_target(), ck::arch::Target::host);
    EXPECT_TRUE(ck::is_xdl_supported()) << "emulated";
    EXPECT_FALSE(ck::is_gfx11_supported());
    EXPECT_FALSE(ck::is_lds_direct_load_supported());
}

TEST(HostTarget, IsOneOfAList)
{
    using ck::host_runtime::device_name_for;
    EXPECT_EQ(device_name_for(nullptr), "host");
    EXPECT_EQ(device_name_for(""), "host");
    EXPECT_EQ(device_name_for("sm_90a"), "sm_90");
    for(const std::string_view target : ck::host_runtime::targets)
    {
        EXPECT_EQ(device_name_for(std::string(target).c_str()), target);
        EXPECT_NE(ck::arch::target_from_name(target), ck::arch::Target::other_amd) << target;
    }
    for(const char* unknown : {"gfx1", "GFX1100", "gfx90a:sramecc+", "sm_70"})
        try
        {
            device_name_for(unknown);
            ADD_FAILURE() << unknown << " is taken";
        }
        catch(const std::invalid_argument& error)
        {
            EXPECT_NE(std::string(error.what()).find(unknown), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(" gfx1100 "), std::string::npos);
        }
}

TEST(HostTarget, Gfx1100)
{
    if(!ck::test::stands_in("gfx1100"))
        return;
    ASSERT_EQ(ck::get_device_name(), "gfx1100");
    EXPECT_TRUE(ck::is_gfx11_supported());
    EXPECT_FALSE(ck::is_xdl_supported());
    hipDeviceProp_t properties{};
    ASSERT_EQ(hipGetDeviceProperties(&properties, 0), hipSuccess);
    EXPECT_STREQ(properties.gcnArchName, "gfx1100");
}

TEST(HostTarget, Gfx942)
{
    if(!ck::test::stands_in("gfx942"))
        return;
    ASSERT_EQ(ck::get_device_name(), "gfx942");
    EXPECT_TRUE(ck::is_xdl_supported() && ck::is_bf16_atomic_supported());
    EXPECT_FALSE(ck::is_gfx11_supported() || ck::is_gfx12_supported());
    EXPECT_EQ(ck::current_target(), ck::arch::Target::gfx942);
}

TEST(HostTarget, Gfx950)
{
    if(!ck::test::stands_in("gfx950"))
        return;
    EXPECT_TRUE(ck::is_xdl_supported() && ck::is_bf16_atomic_supported());
    EXPECT_TRUE(ck::is_lds_direct_load_supported());
    EXPECT_EQ(ck::current_target(), ck::arch::Target::gfx950);
}

TEST(HostTarget, SharedMemoryOfCardsForGraphics)
{
    if(!ck::test::stands_in("sm_89"))
        return;
    EXPECT_EQ(ck::shared_bytes_of_block(), 99u << 10);
}

TEST(HostTarget, SharedMemoryOfLaterCards)
{
    if(!ck::test::stands_in("sm_100"))
        return;
    EXPECT_EQ(ck::shared_bytes_of_block(), 227u << 10);
}

TEST(HostTarget, ThatNobodyKnows)
{
    if(!ck::test::stands_in("gfx1"))
        return;
    EXPECT_THROW(ck::get_device_name(), std::invalid_argument);
    EXPECT_THROW(ck::is_gfx11_supported(), std::invalid_argument);
    hipDeviceProp_t properties{};
    EXPECT_EQ(hipGetDeviceProperties(&properties, 0), hipErrorInvalidDevice);
}

TEST(HostTarget, IsAskedByOtherTests)
{
    EXPECT_TRUE(ck::test::passes_on("gfx1100", "DeviceProperties.NameAndTargetAgree"));
    EXPECT_FALSE(ck::test::passes_on("gfx1", "DeviceProperties.NameAndTargetAgree"));
    EXPECT_FALSE(ck::test::passes_on("gfx1100", "DeviceProperties.NoSuchTest"));
}
#endif

TEST(Environment, Switches)
{
    const auto enabled = [](const char* value) {
        const ck::test::EnvironmentVariable environment("CK_TEST_SWITCH", value);
        return ck::EnvIsEnabled(CK_ENV(CK_TEST_SWITCH));
    };
    for(const char* yes : {"1", "on", "ON", "yes", "True", "enabled"})
        EXPECT_TRUE(enabled(yes)) << yes;
    for(const char* no : {"0", "", "off", "2", "no"})
        EXPECT_FALSE(enabled(no)) << no;
    EXPECT_FALSE(ck::EnvIsEnabled(CK_ENV(CK_TEST_SWITCH)));
}

TEST(FrontDoor, GivesWhatClientsTakeForGranted)
{
    const std::array<ck::index_t, 3> lengths{4, 2, 3};
    std::vector<ck::long_index_t> strides(lengths.begin(), lengths.end());
    EXPECT_EQ(
        std::accumulate(strides.begin(), strides.end(), ck::long_index_t{1}, std::multiplies<>{}),
        24);
    EXPECT_NE(ck::InMemoryDataOperationEnum::Set, ck::InMemoryDataOperationEnum::AtomicAdd);
    void* p = nullptr;
    EXPECT_EQ(hipMalloc(&p, 16), hipSuccess);
    EXPECT_EQ(hipFree(p), hipSuccess);
}

} // namespace
