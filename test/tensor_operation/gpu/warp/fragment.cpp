// Every instruction gets from LDS what its lane map asks for: A and B agree on k, each k is used
// once, each row comes from where the map says.
#include "ck/tensor_operation/gpu/warp/fragment.hpp"

#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace ck::warp {
namespace {

using arch::LaneMap;
using arch::Matrix;

/// Where in an instruction tile's slice, (row, k), the v-th value of an operand comes from.
struct Source
{
    index_t row, k;
};

template <class Wave>
Source source(typename Wave::Side side, index_t lane, index_t part, index_t v, bool packed_rows)
{
    constexpr index_t pack = Wave::pack;
    if constexpr(Wave::by_matrices)
    {
        // load_matrices: register i of a lane holds 4 bytes of row lane / 4 of matrix i, whose
        // address lane 8 * i + lane / 4 named.
        constexpr index_t in_register = 4 / static_cast<index_t>(sizeof(typename Wave::InputM));
        const index_t i               = v / in_register;
        if(packed_rows) // transposed: column lane / 4 of rows 2 * (lane % 4) and the next
        {
            const index_t r   = lane % 4 * 2 + v % 2;
            const LaneRole at = Wave::role(side, 8 * i + r, true);
            return {at.plane * pack + lane / 4, at.row};
        }
        const LaneRole at = Wave::role(side, 8 * i + lane / 4);
        return {at.row, at.plane * pack + lane % 4 * in_register + v % in_register};
    }
    else
    {
        const FragmentLayout f = side == Wave::Side::m ? Wave::m_layout : Wave::n_layout;
        const LaneRole at      = Wave::role(side, lane);
        const index_t k        = part * f.k_values + f.k_of[v];
        return {at.row + f.row_of[v] * f.row_step, (at.plane + k / pack) * pack + k % pack};
    }
}

/// m_rows, n_rows: the operand is packed along its rows.
template <Matrix id>
void check(bool m_rows = false, bool n_rows = false)
{
    using Wave                          = WaveGemm<id, 1, 1>;
    constexpr arch::MatrixInstruction i = arch::describe(id);
    constexpr index_t parts             = Wave::by_matrices ? 1 : Wave::instructions;
    SCOPED_TRACE(i.name);
    std::set<index_t> ks;
    for(index_t part = 0; part < parts; ++part)
    {
        // What the instruction takes for its k-th column, by operand and row.
        std::map<index_t, std::set<index_t>> k_of_slot;
        for(const auto side : {Wave::Side::m, Wave::Side::n})
        {
            const bool m_side  = side == Wave::Side::m;
            const bool first   = m_side != Wave::swapped;
            const LaneMap map  = first ? i.a : i.b;
            const index_t size = first ? i.a_values : i.b_values;
            std::set<std::pair<index_t, index_t>> covered;
            for(index_t lane = 0; lane < i.lanes; ++lane)
                for(index_t v = 0; v < size; ++v)
                {
                    const auto at  = map(lane, v);
                    const Source s = source<Wave>(side, lane, part, v, m_side ? m_rows : n_rows);
                    EXPECT_EQ(s.row, at.row) << "lane " << lane << " value " << v;
                    k_of_slot[at.column].insert(s.k);
                    covered.insert({at.row, at.column});
                }
            EXPECT_EQ(static_cast<index_t>(covered.size()),
                      (m_side ? Wave::tile_m : Wave::tile_n) * i.k);
        }
        EXPECT_EQ(static_cast<index_t>(k_of_slot.size()), i.k);
        for(const auto& [slot, k] : k_of_slot)
        {
            EXPECT_EQ(k.size(), 1u) << "the operands disagree on k, slot " << slot;
            for(const index_t each : k)
            {
                EXPECT_TRUE(ks.insert(each).second) << "k " << each << " is used twice";
                EXPECT_TRUE(0 <= each && each < Wave::k_per_step) << each;
            }
        }
    }
    EXPECT_EQ(static_cast<index_t>(ks.size()), Wave::k_per_step) << "a step misses some k";
    EXPECT_EQ(Wave::k_per_step % Wave::pack, 0);
}

template <index_t... id>
void check_all(std::integer_sequence<index_t, id...>)
{
    (check<static_cast<Matrix>(id)>(), ...);
}

TEST(Fragment, EveryInstructionGetsItsRowsAndAgreesOnK)
{
    check_all(std::make_integer_sequence<index_t, arch::matrix_count>{});
}

TEST(Fragment, MatricesPackedAlongTheirRowsAreReadTransposed)
{
    for(const bool m_rows : {false, true})
        for(const bool n_rows : {false, true})
        {
            check<Matrix::mma_f32_16x8x16_f16>(m_rows, n_rows);
            check<Matrix::mma_f32_16x8x16_bf16>(m_rows, n_rows);
        }
}

TEST(Fragment, LayoutsOfKnownInstructions)
{
    constexpr auto mfma        = arch::describe(Matrix::mfma_f32_32x32x8_f16);
    constexpr FragmentLayout x = fragment_layout(mfma.a, mfma.lanes, mfma.a_values, mfma.k);
    EXPECT_EQ(x.rows, 1);
    EXPECT_EQ(x.k_values, 4);
    EXPECT_EQ(x.groups, 2);

    constexpr auto gfx11       = arch::describe(Matrix::wmma_gfx11_f32_16x16x16_f16);
    constexpr FragmentLayout w = fragment_layout(gfx11.b, gfx11.lanes, gfx11.b_values, gfx11.k);
    EXPECT_EQ(w.k_values, 16);
    EXPECT_EQ(w.groups, 1) << "both halves of the wave hold all k";

    constexpr auto mma         = arch::describe(Matrix::mma_f32_16x8x16_f16);
    constexpr FragmentLayout a = fragment_layout(mma.a, mma.lanes, mma.a_values, mma.k);
    EXPECT_EQ(a.rows, 2);
    EXPECT_EQ(a.row_step, 8);
    EXPECT_EQ(a.k_values, 4);
}

} // namespace
} // namespace ck::warp
