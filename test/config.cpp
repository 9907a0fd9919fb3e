// ck/config.h and ck/version.h, the headers that the build generates.
#include "ck/config.h"

#include "ck/version.h"

#include <gtest/gtest.h>

#include <string>

namespace {

#if defined(CK_PLATFORM_HOST)
constexpr int host = 1;
#else
constexpr int host   = 0;
#endif
#if defined(CK_PLATFORM_AMD)
constexpr int amd = 1;
#else
constexpr int amd    = 0;
#endif
#if defined(CK_PLATFORM_NVIDIA)
constexpr int nvidia = 1;
#else
constexpr int nvidia = 0;
#endif

TEST(Config, NamesExactlyOnePlatform) { EXPECT_EQ(host + amd + nvidia, 1); }

TEST(Config, PlatformIsTheLanguageOfTheKernels)
{
#if defined(__HIP__)
    EXPECT_EQ(amd, 1);
#elif defined(__CUDACC__)
    EXPECT_EQ(nvidia, 1);
#else
    EXPECT_EQ(host, 1);
#endif
}

TEST(Version, StringIsMadeOfItsParts)
{
    EXPECT_EQ(std::string(CK_VERSION),
              std::to_string(CK_VERSION_MAJOR) + "." + std::to_string(CK_VERSION_MINOR) + "." +
                  std::to_string(CK_VERSION_PATCH));
}

} // namespace
