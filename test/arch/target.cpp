#include "ck/arch/target.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

using namespace ck::arch;

namespace {

const std::vector<Target> all_targets = {Target::host,
                                         Target::gfx908,
                                         Target::gfx90a,
                                         Target::gfx942,
                                         Target::gfx950,
                                         Target::gfx10,
                                         Target::gfx11,
                                         Target::gfx12,
                                         Target::gfx125,
                                         Target::sm80,
                                         Target::sm90,
                                         Target::other_amd,
                                         Target::other_nvidia};

std::vector<Target> meeting(Requirement requirement)
{
    std::vector<Target> met;
    for(const Target target : all_targets)
        if(meets(target, requirement))
            met.push_back(target);
    return met;
}

} // namespace

TEST(Target, RequirementsAreMetWhereTheInstructionsExist)
{
    using enum Target;
    using Targets = std::vector<Target>;
    EXPECT_EQ(meeting(Requirement::none), all_targets);
    EXPECT_EQ(meeting(Requirement::mfma), (Targets{host, gfx908, gfx90a, gfx942, gfx950}));
    EXPECT_EQ(meeting(Requirement::mfma_bf16), (Targets{host, gfx908, gfx90a}));
    EXPECT_EQ(meeting(Requirement::mfma_bf16_1k), (Targets{host, gfx90a, gfx942, gfx950}));
    EXPECT_EQ(meeting(Requirement::mfma_i8), (Targets{host, gfx908, gfx90a}));
    EXPECT_EQ(meeting(Requirement::mfma_i8_gfx942), (Targets{host, gfx942, gfx950}));
    EXPECT_EQ(meeting(Requirement::mfma_gfx942), (Targets{host, gfx942}));
    EXPECT_EQ(meeting(Requirement::mfma_gfx950), (Targets{host, gfx950}));
    EXPECT_EQ(meeting(Requirement::wmma_gfx11), (Targets{host, gfx11}));
    EXPECT_EQ(meeting(Requirement::wmma_gfx12), (Targets{host, gfx12}));
    EXPECT_EQ(meeting(Requirement::mfma_f64), (Targets{host, gfx90a, gfx942, gfx950}));
    EXPECT_EQ(meeting(Requirement::mma_sync), (Targets{host, sm80, sm90}));
    EXPECT_EQ(meeting(Requirement::mma_sync_f64), (Targets{host, sm80, sm90}));
    EXPECT_EQ(meeting(Requirement::mma_sync_f64_sm90), (Targets{host, sm90}));
    EXPECT_EQ(meeting(Requirement::mma_sync_f8), (Targets{host, sm90}));
}

TEST(Target, NamesOfDevices)
{
    EXPECT_EQ(target_from_name("host"), Target::host);
    EXPECT_EQ(target_from_name("gfx908:sramecc+:xnack-"), Target::gfx908);
    EXPECT_EQ(target_from_name("gfx90a:sramecc+:xnack-"), Target::gfx90a);
    EXPECT_EQ(target_from_name("gfx90a"), Target::gfx90a);
    EXPECT_EQ(target_from_name("gfx940"), Target::gfx942);
    EXPECT_EQ(target_from_name("gfx942:sramecc+"), Target::gfx942);
    EXPECT_EQ(target_from_name("gfx950:sramecc+:xnack-"), Target::gfx950);
    EXPECT_EQ(target_from_name("gfx1010"), Target::gfx10);
    EXPECT_EQ(target_from_name("gfx1030"), Target::gfx10);
    for(const char* gfx11 : {"gfx1100", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"})
        EXPECT_EQ(target_from_name(gfx11), Target::gfx11) << gfx11;
    EXPECT_EQ(target_from_name("gfx1200"), Target::gfx12);
    EXPECT_EQ(target_from_name("gfx1201"), Target::gfx12);
    EXPECT_EQ(target_from_name("gfx1250"), Target::gfx125);
    EXPECT_EQ(target_from_name("sm_80"), Target::sm80);
    EXPECT_EQ(target_from_name("sm_86"), Target::sm80);
    EXPECT_EQ(target_from_name("sm_90"), Target::sm90);
    EXPECT_EQ(target_from_name("sm_90a"), Target::sm90);
    EXPECT_EQ(target_from_name("sm_100"), Target::sm80); // mma.sync, but not Hopper's wgmma
}

TEST(Target, UnknownDevicesMeetNothing)
{
    for(const char* amd :
        {"gfx900", "gfx906", "gfx90c", "gfx951", "gfx1104", "gfx1170", "gfx1310", "gfx11", ""})
        EXPECT_EQ(target_from_name(amd), Target::other_amd) << amd;
    for(const char* nvidia : {"sm_70", "sm_75", "sm_", "sm_x"})
        EXPECT_EQ(target_from_name(nvidia), Target::other_nvidia) << nvidia;
}

TEST(Target, MfmaIsWhatCdnaHas)
{
    for(const Requirement requirement : {Requirement::mfma,
                                         Requirement::mfma_bf16,
                                         Requirement::mfma_i8_gfx942,
                                         Requirement::mfma_gfx942,
                                         Requirement::mfma_gfx950,
                                         Requirement::mfma_f64})
        EXPECT_TRUE(is_mfma(requirement)) << name(requirement);
    for(const Requirement requirement :
        {Requirement::none, Requirement::wmma_gfx12, Requirement::mma_sync, Requirement::wgmma})
        EXPECT_FALSE(is_mfma(requirement)) << name(requirement);
}

TEST(Target, SharedBytesOfABlock)
{
    EXPECT_EQ(shared_bytes_of_block(Target::gfx950), 163840u);
    EXPECT_EQ(shared_bytes_of_block(Target::gfx942), 65536u);
    EXPECT_EQ(shared_bytes_of_block(Target::gfx12), 65536u);
    EXPECT_EQ(shared_bytes_of_device("gfx950:sramecc+"), 163840u);
    EXPECT_EQ(shared_bytes_of_device("sm_75"), 49152u);
    EXPECT_EQ(shared_bytes_of_device("sm_80"), 166912u);
    for(const char* device : {"sm_86", "sm_89", "sm_120", "sm_121"})
        EXPECT_EQ(shared_bytes_of_device(device), 101376u) << device;
    for(const char* device : {"sm_90", "sm_100", "sm_103", "sm_110"})
        EXPECT_EQ(shared_bytes_of_device(device), 232448u) << device;
    EXPECT_EQ(shared_bytes_of_device("host"), std::numeric_limits<std::size_t>::max());
}

TEST(Target, NamesAreDistinct)
{
    for(const Target x : all_targets)
        for(const Target y : all_targets)
            EXPECT_EQ(std::string(name(x)) == name(y), x == y) << name(x);
}

TEST(Target, HostPass)
{
    EXPECT_EQ(compiling_for, Target::host);
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    EXPECT_FALSE(emulated);
#else
    EXPECT_TRUE(emulated);
    EXPECT_DEATH(trap(), "");
#endif
}
