#pragma once
// Tests of the host while it stands in for another device. The environment chooses that device once
// per process.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

namespace ck::test {

/// Whether a test of this program runs and passes in a process with CK_HOST_TARGET. A name that no
/// test has, and a test that is skipped, are none that pass: GoogleTest's exit status is 0 for
/// both.
inline bool passes_on(const std::string& target, const std::string& test)
{
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command =
        "CK_HOST_TARGET=" + target + " '" + self + "' --gtest_color=no --gtest_filter=" + test;
    std::FILE* const process = popen(command.c_str(), "r");
    if(process == nullptr)
        return false;
    std::string output;
    for(int c = std::fgetc(process); c != EOF; c = std::fgetc(process))
        output += static_cast<char>(c);
    const bool passed = pclose(process) == 0 && output.find("[  PASSED  ] 1 test.") != output.npos;
    const std::string mark = "[  SKIPPED ]"; // CTest takes a test that prints it for a skipped one
    for(std::size_t at = output.find(mark); at != output.npos; at = output.find(mark))
        output.replace(at, mark.size(), "[  skipped ]");
    std::cout << output;
    return passed;
}

/// Whether this process stands in for `target`; "" is the host itself. Where it does not, the test
/// that asks must have passed in a process that does.
inline bool stands_in(const std::string& target)
{
    const char* const wanted = std::getenv("CK_HOST_TARGET");
    if(target == (wanted == nullptr ? "" : wanted))
        return true;
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    EXPECT_TRUE(passes_on(target, std::string(test.test_suite_name()) + '.' + test.name()));
    return false;
}

} // namespace ck::test
