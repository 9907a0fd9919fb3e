#pragma once
// Launches at two places: what differs is what their parameters name as addresses.
#include "ck/host_utility/launch_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ck::test {

/// Fills the stack that calls will use with zeros: parameters are compared by their bytes, and
/// padding between them is what lay there before.
[[gnu::noinline]] inline void clear_stack()
{
    static void* (*const volatile fill)(void*, int, std::size_t) = std::memset; // not left out
    std::byte bytes[65536];
    fill(bytes, 0, sizeof bytes);
}

/// add(list, bytes): adds launches whose addresses are all `bytes` bytes after those of 0.
template <class Add>
void expect_named_addresses(const Add& add)
{
    constexpr std::uintptr_t moved = std::uintptr_t{0x123456} << 12;
    LaunchList here, there;
    clear_stack();
    add(here, std::uintptr_t{0});
    clear_stack();
    add(there, moved);
    ASSERT_EQ(here.launches.size(), there.launches.size());
    for(std::size_t i = 0; i < here.launches.size(); ++i)
    {
        const ListedLaunch& launch    = here.launches[i];
        std::vector<std::byte> params = launch.params;
        for(const std::size_t byte : launch.addresses)
        {
            std::uintptr_t address = 0;
            std::memcpy(&address, params.data() + byte, sizeof address);
            address += address != 0 ? moved : 0;
            std::memcpy(params.data() + byte, &address, sizeof address);
        }
        const std::vector<std::byte>& others = there.launches[i].params;
        ASSERT_EQ(params.size(), others.size());
        const auto differ = std::mismatch(params.begin(), params.end(), others.begin());
        EXPECT_EQ(differ.first, params.end())
            << "launch " << i << ", byte " << differ.first - params.begin() << " of "
            << params.size();
    }
}

/// An address, `bytes` bytes further on; null stays null.
template <class T>
T* after(T* address, std::uintptr_t bytes)
{
    return address == nullptr
               ? nullptr
               : reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + bytes);
}

} // namespace ck::test
