// Memory in files.
//
// Labels: not sanitized
#include "ck/library/utility/host_common_util.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using ck::host_common::dumpBufferToFile;

TEST(HostCommonUtil, FilesHaveTheBytesOfMemory)
{
    const auto path =
        std::filesystem::temp_directory_path() / ("ck_dump_" + std::to_string(::getpid()) + ".bin");
    const std::vector<float> values{1.5f, -2.f, 3e30f, 4.f};
    const auto read = [&] {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    dumpBufferToFile(path.c_str(), values.data(), values.size());
    EXPECT_EQ(read(), std::string(reinterpret_cast<const char*>(values.data()), 4 * sizeof(float)));
    dumpBufferToFile(path.c_str(), values.data() + 1, 2); // nothing is left of the four
    EXPECT_EQ(read(),
              std::string(reinterpret_cast<const char*>(values.data() + 1), 2 * sizeof(float)));
    std::filesystem::remove(path);
    EXPECT_THROW(dumpBufferToFile((path / "below a file that is not").c_str(), values.data(), 1),
                 std::runtime_error);
}

TEST(HostCommonUtil, FullDevicesAreToldOf)
{
    if(::access("/dev/full", W_OK) != 0)
        GTEST_SKIP() << "no /dev/full";
    const std::vector<int> values(1 << 16);
    EXPECT_THROW(dumpBufferToFile("/dev/full", values.data(), values.size()), std::runtime_error);
    EXPECT_THROW(dumpBufferToFile("/dev/full", values.data(), 1), std::runtime_error);
}

} // namespace
