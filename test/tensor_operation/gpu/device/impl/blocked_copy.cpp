// Conversions between packed tensors and such with channels in blocks: every element, every lane of
// padding, and back, on the device and by the host's loops.
//
// Labels: not sanitized
#include "ck/ck.hpp"
#include "ck/library/utility/blocked_layout.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_blocked_copy.hpp"
#include "ck/utility/data_type.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace ck::test::of_blocked_copy {
namespace {

using tensor_operation::device::DeviceBlockedCopy;

/// Bits that tell elements apart; never those of zero.
template <class T>
std::vector<T> iota(std::size_t count)
{
    std::vector<T> values(count);
    for(std::size_t i = 0; i < count; ++i)
    {
        const std::uint32_t bits = static_cast<std::uint32_t>(i) * 2 + 1;
        std::memcpy(&values[i], &bits, sizeof(T));
    }
    return values;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

template <class T, bool to_blocks>
std::vector<T> on_device(const BlockedLayout& t,
                         const PackedStrides& packed,
                         const std::vector<T>& from,
                         std::vector<T> to)
{
    const DeviceMem in(sizeof(T) * from.size()), out(sizeof(T) * to.size());
    in.ToDevice(from.data());
    out.ToDevice(to.data());
    using Op = DeviceBlockedCopy<T, to_blocks>;
    const typename Op::Argument a{t, packed, in.GetDeviceBuffer(), out.GetDeviceBuffer()};
    EXPECT_EQ(Op::supports(a).reason, "");
    Op::run(a);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    out.FromDevice(to.data());
    return to;
}

template <class T>
void expect_round_trip(const BlockedLayout& t, const PackedStrides& packed, long_index_t elements)
{
    const auto count  = static_cast<std::size_t>(elements);
    const auto in_all = static_cast<std::size_t>(t.elements());
    const auto values = iota<T>(count);
    std::vector<T> dirty(in_all);
    std::memset(dirty.data(), 0x5a, sizeof(T) * in_all);

    // Each element must be at its place, with zeros everywhere else.
    std::vector<T> expected(in_all);
    std::memset(expected.data(), 0, sizeof(T) * in_all);
    std::size_t placed = 0;
    const auto& l      = t.lengths;
    for(long_index_t i0 = 0; i0 < l[0]; ++i0)
        for(long_index_t i1 = 0; i1 < l[1]; ++i1)
            for(long_index_t i2 = 0; i2 < l[2]; ++i2)
                for(long_index_t i3 = 0; i3 < l[3]; ++i3)
                    for(long_index_t c = 0; c < t.channels; ++c, ++placed)
                        expected[static_cast<std::size_t>(t.offset({i0, i1, i2, i3}, c))] =
                            values[static_cast<std::size_t>(
                                i0 * packed.outer[0] + i1 * packed.outer[1] + i2 * packed.outer[2] +
                                i3 * packed.outer[3] + c * packed.channel)];
    ASSERT_EQ(placed, count);

    std::vector<T> blocked = dirty;
    utils::to_blocks(t, packed, values.data(), blocked.data());
    EXPECT_TRUE(same(blocked, expected)) << "host, to blocks";
    EXPECT_TRUE((same(on_device<T, true>(t, packed, values, dirty), expected)))
        << "device, to blocks";

    // Padding holds anything, and is not read.
    std::vector<T> padded = dirty;
    for(std::size_t i = 0; i < in_all; ++i)
        if(T zero{}; std::memcmp(&expected[i], &zero, sizeof(T)) != 0)
            padded[i] = expected[i];
    std::vector<T> back(count);
    std::memset(back.data(), 0x33, sizeof(T) * count);
    const std::vector<T> before = back;
    utils::from_blocks(t, packed, padded.data(), back.data());
    EXPECT_TRUE(same(back, values)) << "host, from blocks";
    EXPECT_TRUE((same(on_device<T, false>(t, packed, padded, before), values)))
        << "device, from blocks";
}

template <class T>
void expect_round_trips()
{
    for(const index_t block : {8, 16, 32})
        for(const long_index_t c : {1, 8, 16, 24, 32, 37})
        {
            SCOPED_TRACE("C0 " + std::to_string(block) + ", C " + std::to_string(c) + ", " +
                         std::to_string(sizeof(T)) + " bytes");
            const BlockedLayout image  = ndc1hwc0(2, c, 2, 3, 7, block),
                                filter = fractal_z_3d(18, c, 2, 3, 3, block);
            for(const BlockedLayout& t : {image, filter})
            {
                const long_index_t elements =
                    c * t.lengths[0] * t.lengths[1] * t.lengths[2] * t.lengths[3];
                expect_round_trip<T>(t, PackedStrides::channels_first(t), elements);
                expect_round_trip<T>(t, PackedStrides::channels_last(t), elements);
            }
        }
}

TEST(BlockedCopy, EveryElementAndEveryLaneOfPadding)
{
    expect_round_trips<std::int8_t>();
    expect_round_trips<half_t>();
    expect_round_trips<float>();
}

template <class T>
void expect_larger_ones()
{
    constexpr index_t block = 32 / sizeof(T);
    for(const BlockedLayout& t : {ndc1hwc0(1, 17, 1, 127, 127, block), // odd rows
                                  ndc1hwc0(1, 36, 2, 33, 64, block),
                                  ndc1hwc0(2, 100, 2, 23, 25, block),
                                  ndc1hwc0(2, 200, 3, 7, 7, block), // all of H and W, then D, C
                                  ndc1hwc0(1, 600, 1, 2, 5, block),
                                  fractal_z_3d(70, 72, 3, 3, 3, block),
                                  fractal_z_3d(33, 19, 5, 7, 7, block), // parts of the taps
                                  fractal_z_3d(100, 300, 1, 1, 1, block)})
    {
        SCOPED_TRACE("C " + std::to_string(t.channels) + ", lengths " +
                     std::to_string(t.lengths[0]) + ", " + std::to_string(t.lengths[3]) + ", " +
                     std::to_string(sizeof(T)) + " bytes");
        const long_index_t elements =
            t.channels * t.lengths[0] * t.lengths[1] * t.lengths[2] * t.lengths[3];
        expect_round_trip<T>(t, PackedStrides::channels_first(t), elements);
        expect_round_trip<T>(t, PackedStrides::channels_last(t), elements);
    }
}

TEST(BlockedCopy, SeveralTiles)
{
    expect_larger_ones<std::int8_t>();
    expect_larger_ones<half_t>();
    expect_larger_ones<float>();
}

TEST(BlockedCopy, NothingIsConvertedOfNothing)
{
    using Op = DeviceBlockedCopy<half_t, true>;
    for(const BlockedLayout& t : {ndc1hwc0(0, 16, 1, 2, 2, 16), ndc1hwc0(1, 0, 1, 2, 2, 16)})
        EXPECT_NO_THROW(Op::run({t, PackedStrides::channels_last(t), nullptr, nullptr}));
}

TEST(BlockedCopy, SaysWhyItRefuses)
{
    using Op              = DeviceBlockedCopy<half_t, true>;
    const BlockedLayout t = ndc1hwc0(1, 16, 1, 2, 2, 16);
    const auto packed     = PackedStrides::channels_last(t);
    const auto why        = [](const typename Op::Argument& a) { return Op::supports(a).reason; };
    alignas(16) half_t x[64 + 8], y[64 + 8];
    EXPECT_EQ(why({t, packed, x, y}), "");
    EXPECT_NE(why({t, packed, x, y + 1}).find("multiple of 16 bytes"), std::string::npos);
    auto negative     = packed;
    negative.outer[2] = -1;
    EXPECT_NE(why({t, negative, x, y}).find("is -1"), std::string::npos);
    EXPECT_NE(why({ndc1hwc0(1, 16, 1, 2, 2, 4), packed, x, y}).find("4 channels"),
              std::string::npos);
    EXPECT_THROW(Op::run({t, packed, nullptr, y}), std::runtime_error);
    EXPECT_THROW(Op::run({t, packed, x, y + 1}), std::runtime_error);
}

} // namespace
} // namespace ck::test::of_blocked_copy
