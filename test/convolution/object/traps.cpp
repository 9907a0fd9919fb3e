// Release builds: a mistake traps, and prints nothing.
#include "ck/utility/host_device.hpp"

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
#include "convolution/object/traps.hpp"

namespace ck::test {
namespace {

TEST(ObjectTraps, Release)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    expect_no_trap();
    for(const Mistake& mistake : mistakes)
        if(!mistake.only_in_debug_builds)
            EXPECT_DEATH(make_mistake(mistake), trap_of_the_machine()) << mistake.sentence;
}

} // namespace
} // namespace ck::test
#endif
