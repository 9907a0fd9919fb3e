// ck/config.h and ck/version.h, the headers that the build generates.
#include "ck/config.h"

#include "ck/utility/data_type.hpp"
#include "ck/version.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

// Names that clients test with #ifdef.
#if !defined(CK_ENABLE_ALL_DTYPES) || !defined(CK_ENABLE_INT8) || !defined(CK_ENABLE_FP8) ||       \
    !defined(CK_ENABLE_BF8) || !defined(CK_ENABLE_FP16) || !defined(CK_ENABLE_BF16) ||             \
    !defined(CK_ENABLE_FP32) || !defined(CK_ENABLE_FP64) || !defined(CK_ENABLE_TF32)
#error "every type is there"
#endif
#if !defined(CK_USE_XDL) || !defined(CK_USE_WMMA) || !defined(CK_ENABLE_DL_KERNELS)
#error "operations of every engine are there"
#endif
#if !defined(CK_PLATFORM_AMD) && (!defined(CK_USE_GFX94) || !defined(CK_USE_GFX95))
#error "what Composable Kernel has for gfx94 and gfx95 is there"
#endif
// Those that promise what is not there, or that Composable Kernel's own builds set.
#if defined(CK_USE_GFX1250) || defined(CK_TILE_DISPATCHER) || defined(DTYPES) || defined(DL_KERNELS)
#error "a name is defined that promises too much"
#endif

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

TEST(Config, EightBitsAreFnuz)
{
    EXPECT_EQ(CK_USE_FNUZ_FP8, 1);
    EXPECT_EQ(CK_USE_OCP_FP8, 0);
    EXPECT_TRUE((std::is_same_v<ck::f8_t, ck::f8_fnuz_t>));
    EXPECT_TRUE((std::is_same_v<ck::bf8_t, ck::bf8_fnuz_t>));
}

TEST(Version, StringIsMadeOfItsParts)
{
    EXPECT_EQ(std::string(CK_VERSION),
              std::to_string(CK_VERSION_MAJOR) + "." + std::to_string(CK_VERSION_MINOR) + "." +
                  std::to_string(CK_VERSION_PATCH));
}

} // namespace
