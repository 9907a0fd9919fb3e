#pragma once
// Tests of what the host answers while it stands in for another device: the environment says that
// once for a process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ck::test {

/// Whether a test of this program passes in a process with CK_HOST_TARGET.
inline bool passes_on(const std::string& target, const std::string& test)
{
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    return std::system(
               ("CK_HOST_TARGET=" + target + " '" + self + "' --gtest_filter=" + test).c_str()) ==
           0;
}

/// True in a process that stands in for `target`. Elsewhere false, after the test has passed in
/// such a process.
inline bool stands_in(const std::string& target)
{
    const char* const wanted = std::getenv("CK_HOST_TARGET");
    if(wanted != nullptr && wanted == target)
        return true;
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    EXPECT_TRUE(passes_on(target, std::string(test.test_suite_name()) + '.' + test.name()));
    return false;
}

} // namespace ck::test
