// DeviceMem: transfers, ownership, size 0, refusals.
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

TEST(DeviceMem, GoesThereAndBack)
{
    const std::vector<int> in{1, 2, 3, 4};
    std::vector<int> out(4);
    const DeviceMem mem(sizeof(int) * in.size());
    EXPECT_EQ(mem.GetBufferSize(), 16u);
    EXPECT_NE(mem.GetDeviceBuffer(), nullptr);
    mem.ToDevice(in.data());
    mem.FromDevice(out.data());
    EXPECT_EQ(out, in);

    mem.SetZero();
    mem.ToDevice(in.data(), 8);
    mem.FromDevice(out.data());
    EXPECT_EQ(out, (std::vector<int>{1, 2, 0, 0}));
    mem.SetValue<int>(9);
    mem.FromDevice(out.data(), 12);
    EXPECT_EQ(out, (std::vector<int>{9, 9, 9, 0}));
}

TEST(DeviceMem, MovesAndDoesNotCopy)
{
    static_assert(!std::is_copy_constructible_v<DeviceMem> &&
                  !std::is_copy_assignable_v<DeviceMem>);
    DeviceMem a(4);
    a.SetValue(5);
    void* buffer = a.GetDeviceBuffer();
    DeviceMem b  = std::move(a);
    EXPECT_EQ(b.GetDeviceBuffer(), buffer);
    DeviceMem c(8);
    c       = std::move(b);
    int out = 0;
    c.FromDevice(&out);
    EXPECT_EQ(out, 5);
    std::vector<DeviceMem> several;
    for(std::size_t i = 0; i < 5; ++i)
        several.emplace_back(i);
    EXPECT_EQ(several[4].GetBufferSize(), 4u);
}

TEST(DeviceMem, OfNoBytesIsHarmless)
{
    DeviceMem none, zero(0);
    for(const DeviceMem* mem : {&none, &zero})
    {
        mem->SetZero();
        mem->ToDevice(nullptr);
        mem->FromDevice(nullptr);
        EXPECT_EQ(mem->GetBufferSize(), 0u);
    }
    zero.Realloc(4);
    zero.SetValue(3);
    EXPECT_EQ(zero.GetBufferSize(), 4u);
    zero.Realloc(0);
    EXPECT_EQ(zero.GetDeviceBuffer(), nullptr);
}

TEST(DeviceMem, RefusesWithReasons)
{
    const DeviceMem mem(4), none;
    int x[2] = {};
    EXPECT_THROW(mem.ToDevice(x, 8), std::runtime_error);
    EXPECT_THROW(none.FromDevice(x, 4), std::runtime_error);
    EXPECT_THROW(mem.SetValue(1.0), std::runtime_error);
    try
    {
        DeviceMem huge(std::size_t{1} << 60);
        FAIL();
    }
    catch(const std::runtime_error& e)
    {
        EXPECT_NE(std::string(e.what()).find("1152921504606846976 bytes"), std::string::npos)
            << e.what();
    }
}

} // namespace
