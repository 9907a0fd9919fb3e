// Recorded launches: equal parameters have equal bytes, whatever lay between their members before.
#include "ck/host_utility/launch_record.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace {

/// Does nothing; its parameters have three bytes of padding within and seven at the end.
struct Padded
{
    struct Params
    {
        std::int8_t first;
        std::int32_t second;
        const void* address;
        std::int8_t last;
    };
    struct SharedStorage
    {};
    static constexpr ck::index_t block_size = 64, min_blocks_per_cu = 1;
    static constexpr ck::arch::Requirement requirement = ck::arch::Requirement::none;

    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

/// The bytes that are recorded where the parameters' memory was full of `before`.
std::vector<std::byte> recorded(int before)
{
    alignas(Padded::Params) std::byte memory[sizeof(Padded::Params)];
    std::memset(memory, before, sizeof memory);
    auto& params   = *reinterpret_cast<Padded::Params*>(memory);
    params.first   = 1;
    params.second  = 2;
    params.address = nullptr;
    params.last    = 3;
    ck::LaunchRecord record;
    record.add<Padded>(1, params);
    return record.launches.at(0).params;
}

} // namespace

#if __has_builtin(__builtin_clear_padding)
TEST(LaunchRecord, HasZerosForPadding) { EXPECT_EQ(recorded(0xff), recorded(0)); }
#endif

TEST(LaunchRecord, KeepsEachMember)
{
    const auto bytes = recorded(0);
    Padded::Params params{};
    ASSERT_EQ(bytes.size(), sizeof params);
    std::memcpy(&params, bytes.data(), sizeof params);
    EXPECT_EQ(params.first, 1);
    EXPECT_EQ(params.second, 2);
    EXPECT_EQ(params.address, nullptr);
    EXPECT_EQ(params.last, 3);
}
