// Copies between planes and pixels: every element, every zero, nothing outside them, wherever the
// planes begin and however far apart they are.
#include "ck/tensor_operation/gpu/device/impl/device_layout_conversion.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/gpu/device/impl/copied_bytes.hpp"
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ck::test::of_transpose_planes {
namespace {

using grid::ChannelsFirstTensor;
using tensor_operation::device::DeviceLayoutConversion;

constexpr std::size_t guard = 16; ///< bytes before and after what is written

/// offset: elements from a multiple of 16 bytes to the planes, at most 16 bytes of them.
void expect_round_trip(const ChannelsFirstTensor& t, index_t element_bytes, index_t offset)
{
    const auto size       = static_cast<std::size_t>(element_bytes);
    const auto plane_byte = [&](long_index_t image, long_index_t channel, long_index_t pixel) {
        return guard +
               static_cast<std::size_t>(offset + image * t.image + channel * t.plane + pixel) *
                   size;
    };
    const auto copy_byte = [&](long_index_t image, long_index_t channel, long_index_t pixel) {
        return guard +
               static_cast<std::size_t>((image * t.pixels + pixel) * t.pitch + channel) * size;
    };
    const Bytes planes =
        numbered(plane_byte(t.images - 1, t.channels - 1, t.pixels - 1) + size + guard);
    const Bytes untouched(planes.size(), 0x33);
    const Bytes before(static_cast<std::size_t>(t.copied * t.pixels * t.pitch) * size + 2 * guard,
                       0x5a);

    Bytes copy(before.size()), filled = before, back = untouched;
    for(std::size_t i = 0; i < guard; ++i)
        copy[i] = copy[copy.size() - 1 - i] = before[i];
    for(long_index_t image = 0; image < t.images; ++image)
        for(long_index_t channel = 0; channel < t.channels; ++channel)
            for(long_index_t pixel = 0; pixel < t.pixels; ++pixel)
                for(std::size_t i = 0; i < size; ++i)
                {
                    const std::size_t in_planes = plane_byte(image, channel, pixel) + i,
                                      in_copy   = copy_byte(image, channel, pixel) + i;
                    copy[in_copy] = filled[in_copy] = back[in_planes] = planes[in_planes];
                }
    const std::size_t begin = guard + static_cast<std::size_t>(offset) * size;
    EXPECT_TRUE(copied<DeviceLayoutConversion<true>>(
                    t, element_bytes, planes, begin, before, guard) == copy)
        << "to pixels";
    EXPECT_TRUE(copied<DeviceLayoutConversion<false>>(
                    t, element_bytes, filled, guard, untouched, begin) == back)
        << "to planes";
}

TEST(TransposePlanes, EveryElementAndEveryZero)
{
    for(const index_t element_bytes : {1, 2, 4})
        for(const index_t pixels : {1, 7, 12, 40}) // runs of one, of four, and of eight
            for(const index_t channels : {1, 9, 40, 66})
                for(const index_t vectors : {0, 1}) // more than the least
                {
                    SCOPED_TRACE(std::to_string(pixels) + " pixels, " + std::to_string(channels) +
                                 " channels of " + std::to_string(element_bytes) + " bytes, " +
                                 std::to_string(vectors) + " more vectors");
                    const index_t vector = 16 / element_bytes;
                    const index_t pitch =
                        (math::integer_divide_ceil(channels, vector) + vectors) * vector;
                    const ChannelsFirstTensor packed{
                        3, 3, pixels, channels, pitch, long_index_t{pixels} * channels, pixels};
                    expect_round_trip(packed, element_bytes, 0);
                }
}

TEST(TransposePlanes, PlanesApartAndImagesThatOnlyTheCopyHas)
{
    for(const index_t element_bytes : {1, 2, 4})
        for(const index_t apart : {0, 1, 4, 8}) // elements between planes
            for(const index_t offset : {0, 1, 4})
            {
                SCOPED_TRACE(std::to_string(apart) + " elements of " +
                             std::to_string(element_bytes) + " bytes apart, offset " +
                             std::to_string(offset));
                const long_index_t plane = 48 + apart;
                expect_round_trip({5, 7, 48, 20, 32, 21 * plane, plane}, element_bytes, offset);
                expect_round_trip({1, 1, 600, 20, 32, 0, 600}, element_bytes, offset);
            }
}

TEST(TransposePlanes, SaysWhatItRefuses)
{
    using Operation = DeviceLayoutConversion<true>;
    const Operation::Argument a{{2, 2, 9, 5, 8, 45, 9}, 2, nullptr, nullptr};
    const auto reason = [&](auto change) {
        auto changed = a;
        change(changed);
        return Operation::supports(changed).reason;
    };
    EXPECT_EQ(Operation::supports(a).reason, "");
    EXPECT_THROW(Operation::run(a), std::runtime_error) << "null";
    EXPECT_EQ(reason([](auto& x) { x.element_bytes = 8; }),
              "an element has 8 bytes, but must have 1, 2 or 4");
    EXPECT_EQ(
        reason([](auto& x) { x.tensor.pixels = 0; }),
        "the tensor has 2 images of 5 planes of 0 pixels, but must have at least one of each");
    EXPECT_EQ(reason([](auto& x) { x.tensor.plane = -9; }),
              "planes are -9 elements apart and images 45, but distances must not be negative");
    EXPECT_EQ(reason([](auto& x) { x.tensor.pitch = 4; }),
              "the copy has 2 images of 4 channels, but must have at least the 2 of 5 of the "
              "tensor");
    EXPECT_EQ(reason([](auto& x) { x.tensor.pitch = 9; }),
              "a pixel of the copy has 18 bytes, but must have a multiple of 16");
    EXPECT_EQ(
        reason([](auto& x) { x.tensor.copied = long_index_t{1} << 30; }),
        "the copy has 1073741824 images of 9 pixels of 8 channels, but a launch takes at most "
        "2^30 vectors of 16 bytes");
    EXPECT_EQ(reason([](auto& x) { x.to = reinterpret_cast<void*>(std::uintptr_t{8}); }),
              "the address of the copy is not a multiple of 16 bytes");
    EXPECT_EQ(reason([](auto& x) { x.from = reinterpret_cast<void*>(std::uintptr_t{3}); }),
              "the address of the planes is not a multiple of the 2 bytes of an element");
}

} // namespace
} // namespace ck::test::of_transpose_planes
