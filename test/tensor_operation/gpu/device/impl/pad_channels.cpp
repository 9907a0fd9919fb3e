// Copies between packed pixels and pixels with more channels: every element, every zero, nothing
// outside them, wherever the packed tensor begins.
#include "ck/tensor_operation/gpu/device/impl/device_pad_channels.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/device/impl/copied_bytes.hpp"
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ck::test::of_pad_channels {
namespace {

using grid::PadChannels;
using tensor_operation::device::DevicePadChannels;

/// offset: bytes from a multiple of 16 to the packed tensor.
void expect_round_trip(const PadChannels& p, index_t element_bytes, index_t offset)
{
    const auto bytes = [&](long_index_t elements) {
        return static_cast<std::size_t>(elements * element_bytes);
    };
    const std::size_t line = bytes(p.channels), pitch = bytes(p.pitch), guard = 16;
    const auto at      = static_cast<std::size_t>(offset);
    const Bytes packed = numbered(bytes(p.pixels * p.channels));

    Bytes copy(bytes(p.padded * p.pitch) + 2 * guard, 0x5a);
    Bytes expected(copy.size());
    for(std::size_t i = 0; i < guard; ++i)
        expected[i] = expected[expected.size() - 1 - i] = copy[i];
    Bytes other = copy; // other bytes where the zeros were
    for(std::size_t i = 0; i < packed.size(); ++i)
    {
        const std::size_t to = guard + i / line * pitch + i % line;
        expected[to] = other[to] = packed[i];
    }
    Bytes moved(at);
    moved.insert(moved.end(), packed.begin(), packed.end());
    EXPECT_TRUE(copied<DevicePadChannels<true>>(p, element_bytes, moved, at, copy, guard) ==
                expected)
        << "to copy";

    const Bytes around(packed.size() + at + guard, 0x33);
    Bytes back = around;
    std::copy(packed.begin(), packed.end(), back.begin() + offset);
    EXPECT_TRUE(copied<DevicePadChannels<false>>(p, element_bytes, other, guard, around, at) ==
                back)
        << "back";
}

TEST(PadChannels, EveryElementAndEveryZero)
{
    for(const index_t element_bytes : {1, 2, 4})
        for(const index_t channels : {1, 3, 4, 6, 33, 66})
            for(const index_t vectors : {0, 1}) // more than the least
                for(const index_t offset : {0, 4})
                {
                    SCOPED_TRACE(std::to_string(channels) + " channels of " +
                                 std::to_string(element_bytes) + " bytes, " +
                                 std::to_string(vectors) + " more vectors, offset " +
                                 std::to_string(offset));
                    const index_t vector = 16 / element_bytes;
                    const index_t pitch =
                        (math::integer_divide_ceil(channels, vector) + vectors) * vector;
                    expect_round_trip({1, 1, channels, pitch}, element_bytes, offset);
                    expect_round_trip({331, 335, channels, pitch}, element_bytes, offset);
                }
}

TEST(PadChannels, FromAnyElement)
{
    for(const index_t offset : {1, 2, 3, 15})
        expect_round_trip({3000, 3000, 5, 16}, 1, offset);
    for(const index_t offset : {2, 6, 14})
        expect_round_trip({3000, 3000, 6, 8}, 2, offset);
}

TEST(PadChannels, SaysWhatItRefuses)
{
    DevicePadChannels<true>::Argument a{{4, 4, 3, 8}, 2, nullptr, nullptr};
    using Operation   = DevicePadChannels<true>;
    const auto reason = [&](auto change) {
        auto changed = a;
        change(changed);
        return Operation::supports(changed).reason;
    };
    EXPECT_EQ(Operation::supports(a).reason, "");
    EXPECT_THROW(Operation::run(a), std::runtime_error) << "null";
    EXPECT_EQ(reason([](auto& x) { x.element_bytes = 8; }),
              "an element has 8 bytes, but must have 1, 2 or 4");
    EXPECT_EQ(reason([](auto& x) { x.pixels.pixels = 0; }),
              "the tensor has 0 pixels of 3 channels, but must have at least one of each");
    EXPECT_EQ(reason([](auto& x) { x.pixels.pitch = 2; }),
              "the copy has 4 pixels of 2 channels, but must have at least the 4 of 3 of the "
              "tensor");
    EXPECT_EQ(reason([](auto& x) { x.pixels.pitch = 9; }),
              "a pixel of the copy has 18 bytes, but must have a multiple of 16");
    EXPECT_EQ(reason([](auto& x) { x.pixels.padded = long_index_t{1} << 31; }),
              "the copy has 2147483648 pixels, but must have fewer than 2^31");
    EXPECT_EQ(reason([](auto& x) { x.to = reinterpret_cast<void*>(std::uintptr_t{8}); }),
              "the address of the copy is not a multiple of 16 bytes");
    EXPECT_EQ(reason([](auto& x) { x.from = reinterpret_cast<void*>(std::uintptr_t{3}); }),
              "the address of the packed tensor is not a multiple of the 2 bytes of an element");
}

} // namespace
} // namespace ck::test::of_pad_channels
