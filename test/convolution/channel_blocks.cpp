// Blocked layouts: where each index is, and which lanes belong to no index.
#include "ck/convolution/channel_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck {
namespace {

TEST(ChannelBlocks, OffsetsOfNDC1HWC0)
{
    for(const index_t c0 : {8, 16, 32})
        for(const long_index_t channels : {1, 8, 17, 35})
        {
            const long_index_t n = 2, d = 3, h = 4, w = 5, c1 = (channels + c0 - 1) / c0;
            const BlockedMemory m = ndc1hwc0({1, n, channels, d, h, w}, c0);
            EXPECT_EQ(m.elements, n * d * c1 * h * w * c0);
            EXPECT_EQ(m.blocks.stored(channels), c1 * c0);
            long_index_t next = 0; // memory in its order
            for(long_index_t in = 0; in < n; ++in)
                for(long_index_t id = 0; id < d; ++id)
                    for(long_index_t i1 = 0; i1 < c1; ++i1)
                        for(long_index_t ih = 0; ih < h; ++ih)
                            for(long_index_t iw = 0; iw < w; ++iw)
                                for(long_index_t i0 = 0; i0 < c0; ++i0)
                                    ASSERT_EQ(m.offset(in, i1 * c0 + i0, {id, ih, iw}), next++);
        }
}

TEST(ChannelBlocks, OffsetsOfFractalZ3D)
{
    for(const index_t c0 : {8, 16, 32})
        for(const long_index_t k : {1, 16, 19})
        {
            const long_index_t c = 35, z = 2, y = 3, x = 4, c1 = (c + c0 - 1) / c0;
            const BlockedMemory m = fractal_z_3d({1, k, c, z, y, x}, c0);
            EXPECT_EQ(m.rows, (k + 15) / 16 * 16);
            EXPECT_EQ(m.elements, z * c1 * y * x * m.rows * c0);
            long_index_t next = 0;
            for(long_index_t iz = 0; iz < z; ++iz)
                for(long_index_t i1 = 0; i1 < c1; ++i1)
                    for(long_index_t iy = 0; iy < y; ++iy)
                        for(long_index_t ix = 0; ix < x; ++ix)
                            for(long_index_t ik = 0; ik < m.rows; ++ik)
                                for(long_index_t i0 = 0; i0 < c0; ++i0)
                                    ASSERT_EQ(m.offset(ik, i1 * c0 + i0, {iz, iy, ix}), next++);
        }
}

} // namespace
} // namespace ck
