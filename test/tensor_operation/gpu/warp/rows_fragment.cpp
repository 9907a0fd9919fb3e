// Where lanes read wgmma's first operand from lines in LDS.
#include "ck/tensor_operation/gpu/warp/rows_fragment.hpp"

#include "ck/arch/matrix_table.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::warp {
namespace {

index_t offset_of(index_t lane, index_t step, index_t w)
{
    return FragmentOfRows::word_offset(FragmentOfRows::lane_offset(lane), step, w);
}

TEST(FragmentOfRows, follows_the_lane_map_of_the_instruction)
{
    using F                             = FragmentOfRows;
    constexpr arch::MatrixInstruction i = arch::describe(arch::Matrix::wgmma_f32_16x8x16_f16);
    for(index_t lane = 0; lane < 32; ++lane)
        for(index_t step = 0; step < 4; ++step)
            for(index_t v = 0; v < i.a_values; ++v)
            {
                const auto at      = i.a(lane, v);
                const index_t k    = step * i.k + at.column;
                const index_t pack = k / F::pack ^ at.row % 8;
                EXPECT_EQ(offset_of(lane, step, v / 2) + v % 2,
                          at.row * F::line + pack * F::pack + k % F::pack);
            }
}

TEST(FragmentOfRows, no_two_lanes_share_a_bank)
{
    for(index_t step = 0; step < 4; ++step)
        for(index_t w = 0; w < FragmentOfRows::words; ++w)
        {
            std::set<index_t> banks;
            for(index_t lane = 0; lane < 32; ++lane)
                banks.insert(offset_of(lane, step, w) / 2 % 32);
            EXPECT_EQ(banks.size(), 32u);
        }
}

} // namespace
} // namespace ck::warp
