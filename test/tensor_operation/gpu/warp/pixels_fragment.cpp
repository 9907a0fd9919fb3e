// Where lanes read wgmma's first operand from pixels in LDS.
#include "ck/tensor_operation/gpu/warp/pixels_fragment.hpp"

#include "ck/arch/matrix_table.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ck::warp {
namespace {

using F = FragmentOfPixels;

/// The channel that is a row of the instruction, by the lanes that have the row.
index_t channel_of(index_t row, index_t half) { return F::channel(row % 8 * 4, half) + row / 8; }

TEST(FragmentOfPixels, rows_are_channels_each_once)
{
    std::set<index_t> channels;
    for(const index_t half : {0, 1})
        for(index_t row = 0; row < 16; ++row)
            channels.insert(channel_of(row, half));
    EXPECT_EQ(channels.size(), 32u);
    EXPECT_EQ(*channels.begin(), 0);
    EXPECT_EQ(*channels.rbegin(), 31);
}

/// Values of a lane are those of the instruction's map, of the even pixels first.
TEST(FragmentOfPixels, follows_the_lane_map_of_the_instruction)
{
    constexpr arch::MatrixInstruction i = arch::describe(arch::Matrix::wgmma_f32_16x8x8_tf32);
    std::vector<float> lines(16 * F::channels);
    for(index_t line = 0; line < 16; ++line)
        for(index_t channel = 0; channel < F::channels; ++channel)
            lines[static_cast<std::size_t>(F::place(line, channel))] =
                static_cast<float>(100 * line + channel);
    for(const index_t half : {0, 1})
        for(index_t lane = 0; lane < 32; ++lane)
        {
            const index_t first           = 4 + 2 * (lane % 4),
                          place           = F::place(first, F::channel(lane, half));
            const auto even               = F::pixel(lines.data(), place),
                       odd                = F::pixel(lines.data(), F::next_line(place));
            const float values[F::values] = {even[0], even[1], odd[0], odd[1]};
            for(index_t v = 0; v < F::values; ++v)
            {
                const auto at       = i.a(lane, v);
                const index_t pixel = 4 + at.column % 4 * 2 + at.column / 4;
                EXPECT_EQ(values[v], static_cast<float>(100 * pixel + channel_of(at.row, half)));
            }
        }
}

TEST(FragmentOfPixels, lanes_access_different_banks)
{
    for(const index_t half : {0, 1})
        for(index_t line = 0; line < 16; line += 2)
            for(const bool next : {false, true})
                EXPECT_EQ(bank_passes(32,
                                      8,
                                      [&](index_t lane) {
                                          const index_t place = F::place(line + 2 * (lane % 4),
                                                                         F::channel(lane, half));
                                          return 4 * (next ? F::next_line(place) : place);
                                      }),
                          2);
}

} // namespace
} // namespace ck::warp
