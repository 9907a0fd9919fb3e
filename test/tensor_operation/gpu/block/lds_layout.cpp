// Where slices lie in LDS: no two packs in one place, rows where offsets are computed to be, and
// no bank conflicts that the paddings could have prevented.
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"

#include "ck/tensor_operation/gpu/block/block_gemm.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::block::lds_layouts {
namespace {

using arch::Matrix;

void expect_sound(const LdsLayout& l)
{
    std::set<index_t> taken;
    for(index_t plane = 0; plane < l.planes; ++plane)
        for(index_t row = 0; row < l.rows; ++row)
        {
            const index_t at = l.offset(plane, row);
            EXPECT_EQ(at % l.pack, 0);
            EXPECT_TRUE(0 <= at && at + l.pack <= l.size());
            EXPECT_TRUE(taken.insert(at).second) << "row " << row << " of plane " << plane;
            // What lane_offset and tile_offset rely on.
            const index_t aligned = row / l.interleave * l.interleave;
            EXPECT_EQ(at - l.offset(0, row - aligned),
                      l.offset(plane, 0) + aligned / l.interleave * l.run * l.pack);
        }
}

TEST(LdsLayout, GivesEachPackAPlaceOfItsOwn)
{
    for(const index_t rows : {16, 64, 128})
        for(const index_t planes : {1, 2, 8})
            for(const index_t pack : {4, 8})
                for(const index_t interleave : {1, 2, 4, 8})
                    for(const index_t row_padding : {0, 1, 5})
                        for(const index_t plane_padding : {0, 3})
                            for(index_t run = 1; run <= interleave; run *= 2)
                                expect_sound({rows,
                                              planes,
                                              pack,
                                              interleave,
                                              row_padding,
                                              plane_padding,
                                              false,
                                              false,
                                              run});
}

TEST(LdsLayout, GivesEachElementAPlaceOfItsOwn)
{
    for(const bool packed_rows : {false, true})
    {
        const LdsLayout l{packed_rows ? 16 : 64, packed_rows ? 8 : 2, 8, 1, 0, 3, packed_rows};
        std::set<index_t> taken; // 64 rows x 16 k
        for(index_t row = 0; row < 64; ++row)
            for(index_t k = 0; k < 16; ++k)
            {
                const index_t at = l.element(row, k);
                EXPECT_TRUE(0 <= at && at < l.size());
                EXPECT_TRUE(taken.insert(at).second);
                const index_t along = packed_rows ? row : k;
                EXPECT_EQ(at,
                          l.element(packed_rows ? row - along % 8 : row,
                                    packed_rows ? k : k - along % 8) +
                              along % 8)
                    << "a pack is contiguous";
            }
    }
}

/// Passes over the banks of one wave's accesses: reads of 16 bytes, and the copy's writes.
struct Passes
{
    index_t read, write;
};

/// Returns the bytes that a thread writes in one access of the copy.
index_t write_bytes(const OperandShape& s)
{
    return s.packed == Contiguous::row ? 16 : math::max(4, s.piece_k() * s.element_bytes);
}

template <Matrix id>
Passes passes(const OperandShape& s, const LdsLayout& l)
{
    using Wave          = warp::WaveGemm<id, 1, 1>;
    const auto side     = s.contiguous == Contiguous::reduction ? Wave::Side::m : Wave::Side::n;
    const bool quads    = serves_quads(Wave::instruction.requirement);
    const index_t read  = warp::bank_passes(32, 16, [&](index_t number) {
        const auto at =
            Wave::role(side, quads ? warp::mfma_lane_served(number) : number, l.packed_rows);
        return l.offset(at.plane, at.row) * s.element_bytes;
    });
    const index_t write = warp::bank_passes(32, write_bytes(s), [&](index_t thread) {
        return l.element(s.first_row(thread, 0), s.first_k(thread, 0)) * s.element_bytes;
    });
    return {read, write};
}

template <Matrix id>
void expect_few_conflicts(Contiguous contiguous,
                          index_t rows,
                          index_t k,
                          index_t threads,
                          index_t v,
                          Contiguous packed   = Contiguous::reduction,
                          index_t read_passes = 4)
{
    using Wave           = warp::WaveGemm<id, 1, 1>;
    const bool quads     = serves_quads(Wave::instruction.requirement);
    const OperandShape s = spread_if(quads,
                                     {contiguous,
                                      rows,
                                      k,
                                      threads,
                                      v,
                                      static_cast<index_t>(sizeof(typename Wave::InputM)),
                                      packed});
    ASSERT_EQ(why_not(s), nullptr);
    const auto side   = contiguous == Contiguous::reduction ? Wave::Side::m : Wave::Side::n;
    const LdsLayout l = lds_layout(
        s, [&](index_t lane) { return Wave::role(side, lane, packed == Contiguous::row); }, quads);
    expect_sound(l);
    const Passes p = passes<id>(s, l);
    SCOPED_TRACE(testing::Message() << Wave::instruction.name << " rows " << rows << " vector " << v
                                    << ": read " << p.read << ", write " << p.write);
    EXPECT_EQ(p.read, read_passes) << "32 lanes x 16 bytes are four passes over 128 bytes of banks";
    EXPECT_LE(p.write, 32 * write_bytes(s) / 128);
    EXPECT_LE(l.size(), rows * k * 5 / 4) << "padding in excess";
}

// The shapes of the instance tables.
TEST(LdsLayout, LeavesNoBankConflicts)
{
    using enum Contiguous;
    expect_few_conflicts<Matrix::mfma_f32_32x32x8_f16>(reduction, 128, 32, 256, 8);
    expect_few_conflicts<Matrix::mfma_f32_32x32x8_f16>(row, 128, 32, 256, 8);
    expect_few_conflicts<Matrix::mfma_f32_32x32x8_f16>(row, 256, 32, 256, 8);
    expect_few_conflicts<Matrix::mfma_f32_32x32x8_f16>(row, 128, 32, 256, 4);
    expect_few_conflicts<Matrix::mfma_f32_32x32x8_f16>(reduction, 256, 32, 256, 8);
    // Lanes that are served together read four rows of two planes each: no padding serves them and
    // the copy, eight threads of which write four planes.
    expect_few_conflicts<Matrix::mfma_f32_16x16x16_f16>(reduction, 64, 32, 256, 8, reduction, 8);
    expect_few_conflicts<Matrix::mfma_f32_16x16x16_f16>(row, 64, 32, 256, 4);
    expect_few_conflicts<Matrix::mfma_f32_32x32x2_f32>(reduction, 128, 16, 256, 4);
    expect_few_conflicts<Matrix::mfma_f32_32x32x2_f32>(row, 128, 16, 256, 4);
    expect_few_conflicts<Matrix::wmma_gfx11_f32_16x16x16_f16>(reduction, 128, 32, 128, 8);
    expect_few_conflicts<Matrix::wmma_gfx11_f32_16x16x16_f16>(row, 128, 32, 128, 8);
    expect_few_conflicts<Matrix::wmma_gfx12_f32_16x16x16_f16>(reduction, 128, 32, 128, 8);
    expect_few_conflicts<Matrix::wmma_gfx12_f32_16x16x16_f16>(row, 128, 32, 128, 8);
    expect_few_conflicts<Matrix::mma_f32_16x8x16_f16>(reduction, 128, 32, 256, 8);
    expect_few_conflicts<Matrix::mma_f32_16x8x16_f16>(row, 128, 32, 256, 8);
    expect_few_conflicts<Matrix::mma_f32_16x8x16_f16>(row, 128, 32, 256, 8, row);
    expect_few_conflicts<Matrix::mma_f32_16x8x16_bf16>(row, 64, 32, 128, 8, row);
    expect_few_conflicts<Matrix::mma_f32_16x8x8_tf32>(reduction, 128, 16, 256, 4);
    expect_few_conflicts<Matrix::mma_f32_16x8x8_tf32>(row, 128, 16, 256, 4);
    expect_few_conflicts<Matrix::dot_f32_8x4x2_f16>(reduction, 128, 32, 256, 8);
    expect_few_conflicts<Matrix::dot_f32_8x4x2_f16>(row, 64, 32, 256, 4);
}

} // namespace
} // namespace ck::block::lds_layouts
