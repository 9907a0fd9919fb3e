#include "ck/tensor_operation/operator_transform/pixel_map.hpp"

#include <gtest/gtest.h>

namespace ck::test {
namespace {

/// Three different dimensions of a tensor [2, 4, 9, 5, 3]: taps ahead, back, and one.
TEST(PixelMap, MeetsPixelsByItsFormula)
{
    const auto along = [](index_t taps, index_t count, index_t pad, index_t step, index_t tap) {
        return PixelMap{make_divisor(taps), make_divisor(count), pad, step, tap};
    };
    const PixelMap d = along(2, 3, 1, 2, 3), h = along(3, 7, -4, 1, -2), w = along(1, 5, 0, 1, 1);
    constexpr index_t depth = 4, height = 9, width = 5, channels = 3;
    const auto view = windows_of(strided({undivided(2),
                                          undivided(depth),
                                          undivided(height),
                                          undivided(width),
                                          undivided(channels)},
                                         {depth * height * width * channels,
                                          height * width * channels,
                                          width * channels,
                                          channels,
                                          1}),
                                 d,
                                 h,
                                 w);
    int inside = 0, outside = 0;
    for(index_t z = 0; z < d.taps.value; ++z)
        for(index_t i = 0; i < d.count.value; ++i)
            for(index_t y = 0; y < h.taps.value; ++y)
                for(index_t j = 0; j < h.count.value; ++j)
                {
                    const index_t at_d = 2 * i + 3 * z - 1, at_h = j - 2 * y + 4;
                    const bool valid = at_d >= 0 && at_d < depth && at_h >= 0 && at_h < height;
                    const auto place = view(1, z, i, y, j, 0, 2, 1);
                    ASSERT_EQ(place.valid, valid) << z << ' ' << i << ' ' << y << ' ' << j;
                    (valid ? inside : outside)++;
                    if(valid)
                    {
                        EXPECT_EQ(place.offset,
                                  (((depth + at_d) * height + at_h) * width + 2) * channels + 1);
                    }
                }
    EXPECT_GT(inside, 0);
    EXPECT_GT(outside, 0);
}

} // namespace
} // namespace ck::test
