#pragma once
// Which engines a device has, by its name. So the code under test does not decide whether a test is
// skipped.
#include "ck/arch/target.hpp"
#include "ck/host_utility/device_prop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace ck::test {

inline bool must_have(const std::string& device, arch::Requirement requirement)
{
    using enum arch::Requirement;
    using All = std::vector<arch::Requirement>;
    static const std::map<std::string, All> engines{
        {"gfx908", {mfma, mfma_bf16, mfma_i8}},
        {"gfx90a", {mfma, mfma_bf16, mfma_bf16_1k, mfma_i8, mfma_f64}},
        {"gfx942", {mfma, mfma_bf16_1k, mfma_i8_gfx942, mfma_gfx942, mfma_f64}},
        {"gfx950", {mfma, mfma_bf16_1k, mfma_i8_gfx942, mfma_gfx950, mfma_f64}},
        {"gfx1100", {wmma_gfx11}},
        {"gfx1101", {wmma_gfx11}},
        {"gfx1102", {wmma_gfx11}},
        {"gfx1103", {wmma_gfx11}},
        {"gfx1150", {wmma_gfx11}},
        {"gfx1151", {wmma_gfx11}},
        {"gfx1152", {wmma_gfx11}},
        {"gfx1153", {wmma_gfx11}},
        {"gfx1200", {wmma_gfx12}},
        {"gfx1201", {wmma_gfx12}},
        {"sm_80", {mma_sync, mma_sync_f64}},
        {"sm_86", {mma_sync, mma_sync_f64}},
        {"sm_87", {mma_sync, mma_sync_f64}},
        {"sm_89", {mma_sync, mma_sync_f64}},
        {"sm_100", {mma_sync, mma_sync_f64}},
        {"sm_103", {mma_sync, mma_sync_f64}},
        {"sm_110", {mma_sync, mma_sync_f64}},
        {"sm_120", {mma_sync, mma_sync_f64}},
        {"sm_121", {mma_sync, mma_sync_f64}},
        {"sm_90", {mma_sync, mma_sync_f64, mma_sync_f64_sm90, mma_sync_f8, wgmma}}};
    if(requirement == none || device == "host") // the host emulates all
        return true;
    const auto found = engines.find(device);
    return found != engines.end() &&
           std::count(found->second.begin(), found->second.end(), requirement) > 0;
}

/// Whether this device has the engine; a failure where the code under test says otherwise. The host
/// has all, whatever its name, but where it was told to stand in for a device.
inline bool device_has(arch::Requirement requirement)
{
    const char* const stands_for = std::getenv("CK_HOST_TARGET");
    const bool host              = arch::emulated && (stands_for == nullptr || *stands_for == '\0');
    const bool has               = host || must_have(get_device_name(), requirement);
    EXPECT_EQ(arch::meets(current_target(), requirement), has)
        << get_device_name() << " and " << arch::name(requirement);
    return has;
}

} // namespace ck::test

/// Ends a test of an engine that the device has not. refusal: what the operation under test says, a
/// reason; evaluated only there.
#define CK_SKIP_WITHOUT(requirement, refusal)                                                      \
    if(!ck::test::device_has(requirement))                                                         \
    {                                                                                              \
        const std::string ck_reason = (refusal);                                                   \
        ASSERT_NE(ck_reason, "") << "an operation takes what the device cannot run";               \
        GTEST_SKIP() << ck_reason;                                                                 \
    }                                                                                              \
    static_assert(true)

/// The same of a kernel alone, which no operation refuses: what the library says of the device is
/// compared with the device's name, and a test fails where they differ.
#define CK_SKIP_KERNEL_WITHOUT(requirement)                                                        \
    if(!ck::test::device_has(requirement))                                                         \
        GTEST_SKIP() << ck::get_device_name() << " has no " << ck::arch::name(requirement);        \
    static_assert(true)
