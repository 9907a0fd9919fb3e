// How threads share the copy of an operand's slice, by counting.
//
// Cases not sanitized: OperandShape.EachElementIsCopiedOnce
#include "ck/tensor_operation/gpu/block/operand.hpp"

#include "ck/tensor_operation/gpu/block/lds_layout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ck::block::operand {
namespace {

std::string text(const OperandShape& s)
{
    return std::string(s.contiguous == Contiguous::row ? "row" : "reduction") + " rows " +
           std::to_string(s.rows) + " k " + std::to_string(s.k) + " threads " +
           std::to_string(s.threads) + " vector " + std::to_string(s.vector) + " bytes " +
           std::to_string(s.element_bytes) +
           (s.packed == Contiguous::row ? " packed along rows" : "") + " run " +
           std::to_string(s.run) + (s.spread ? " spread" : "") +
           (s.direct_to_lds ? " straight to LDS" : "");
}

/// The table of a slice's rows has each of them once and, where there is a step from each of a
/// thread's pieces to the next, their rows side by side.
void expect_table(const OperandShape& s)
{
    const index_t step = s.row_step();
    std::set<index_t> numbers;
    for(index_t row = 0; row < s.rows; ++row)
        numbers.insert(s.row_number(row, step));
    ASSERT_EQ(static_cast<index_t>(numbers.size()), s.rows);
    ASSERT_EQ(*numbers.begin(), 0);
    ASSERT_EQ(*numbers.rbegin(), s.rows - 1);
    for(index_t thread = 0; step > 0 && thread < s.threads; ++thread)
        for(index_t piece = 0; piece < s.pieces(); ++piece)
            ASSERT_EQ(s.row_number(s.first_row(thread, piece), step),
                      s.row_number(s.first_row(thread, 0), step) + piece);
}

/// Every element is copied once; loads are aligned; a thread's pieces share a row or a k, but where
/// they come straight to LDS.
void expect_sound(const OperandShape& s)
{
    SCOPED_TRACE(text(s));
    std::vector<int> copies(static_cast<std::size_t>(s.rows * s.k));
    for(index_t thread = 0; thread < s.threads; ++thread)
        for(index_t piece = 0; piece < s.pieces(); ++piece)
        {
            const index_t row = s.first_row(thread, piece), k = s.first_k(thread, piece);
            EXPECT_TRUE(s.same_rows() ? row == s.first_row(thread, 0)
                                      : s.direct_to_lds || k == s.first_k(thread, 0))
                << "pieces of a thread share neither a row nor a k";
            EXPECT_EQ((s.contiguous == Contiguous::reduction ? k : row) % s.vector, 0);
            const bool in_a_pack = s.packed == Contiguous::row
                                       ? row % s.pack() + s.piece_rows() <= s.pack()
                                       : k % s.pack() + s.piece_k() <= s.pack();
            EXPECT_TRUE(in_a_pack) << "a piece spans two packs";
            for(index_t load = 0; load < s.loads_per_piece(); ++load)
                for(index_t e = 0; e < s.vector; ++e)
                {
                    const bool along_k   = s.contiguous == Contiguous::reduction;
                    const index_t at_row = row + (along_k ? 0 : e);
                    const index_t at_k   = k + (along_k ? load * s.vector + e : load);
                    ASSERT_TRUE(at_row < s.rows && at_k < s.k);
                    ++copies[static_cast<std::size_t>(at_row * s.k + at_k)];
                }
        }
    for(const int count : copies)
        ASSERT_EQ(count, 1);
    expect_table(s);
}

TEST(OperandShape, EachElementIsCopiedOnce)
{
    int sound = 0, along_rows = 0, in_runs = 0, are_spread = 0, refused = 0;
    for(const Contiguous contiguous : {Contiguous::reduction, Contiguous::row})
        for(const index_t rows : {16, 32, 48, 64, 128, 256})
            for(const index_t k : {4, 8, 16, 32, 64})
                for(const index_t threads : {32, 64, 96, 128, 256, 512})
                    for(const index_t vector : {1, 2, 4, 8})
                        for(const index_t bytes : {2, 4})
                            for(const Contiguous packed : {Contiguous::reduction, Contiguous::row})
                                for(const index_t run : {0, 16})
                                {
                                    const OperandShape s{contiguous,
                                                         rows,
                                                         k,
                                                         threads,
                                                         vector,
                                                         bytes,
                                                         packed,
                                                         false,
                                                         run};
                                    if(why_not(s) != nullptr)
                                    {
                                        ++refused;
                                        continue;
                                    }
                                    ++(run > 0                     ? in_runs
                                       : packed == Contiguous::row ? along_rows
                                                                   : sound);
                                    expect_sound(s);
                                    if(!can_spread(s))
                                        continue;
                                    OperandShape spread = s;
                                    spread.spread       = true;
                                    ASSERT_EQ(why_not(spread), nullptr);
                                    expect_sound(spread);
                                    ++are_spread;
                                }
    EXPECT_GT(are_spread, 50);
    EXPECT_GT(sound, 500);
    EXPECT_GT(along_rows, 50);
    EXPECT_GT(in_runs, 300);
    EXPECT_GT(refused, 100);
}

TEST(OperandShape, NeighbouringThreadsLoadNeighbours)
{
    const OperandShape along_k{Contiguous::reduction, 128, 32, 256, 8, 2};
    EXPECT_EQ(along_k.first_k(1, 0), 8);
    EXPECT_EQ(along_k.first_row(3, 0), 0);
    EXPECT_EQ(along_k.first_row(4, 0), 1);

    const OperandShape along_rows{Contiguous::row, 128, 32, 256, 8, 2}; // 8 x 2 of 8 k in a pack
    ASSERT_EQ(along_rows.piece_k(), 2);
    ASSERT_EQ(along_rows.pack_pieces(), 4);
    EXPECT_EQ(along_rows.first_row(3, 0), 0);
    EXPECT_EQ(along_rows.first_k(3, 0), 6);
    EXPECT_EQ(along_rows.first_row(4, 0), 8);
}

/// 32 threads load two packs of 16 neighbouring lines: 512 bytes in one piece, where lines of a run
/// of 16 elements follow each other.
TEST(OperandShape, NeighbouringThreadsLoadRunsOfNeighbours)
{
    const OperandShape along_k{
        Contiguous::reduction, 128, 64, 256, 8, 2, Contiguous::reduction, false, 16};
    const OperandShape along_rows{Contiguous::row, 128, 64, 256, 8, 2, Contiguous::row, false, 16};
    ASSERT_EQ(why_not(along_k), nullptr);
    ASSERT_EQ(why_not(along_rows), nullptr);
    for(index_t thread = 0; thread < 32; ++thread)
    {
        EXPECT_EQ(along_k.first_k(thread, 0), thread % 2 * 8);
        EXPECT_EQ(along_k.first_row(thread, 0), thread / 2);
        EXPECT_EQ(along_rows.first_row(thread, 0), thread % 2 * 8);
        EXPECT_EQ(along_rows.first_k(thread, 0), thread / 2);
    }
    EXPECT_STREQ(
        why_not({Contiguous::reduction, 128, 24, 96, 8, 2, Contiguous::reduction, false, 16}),
        "a slice of an operand is not a whole number of runs, or a run of pieces");
}

/// 16 threads write two halves of four packs along the reduction, of two pieces of rows.
TEST(OperandShape, ThreadsAreSpreadOverTheReduction)
{
    OperandShape s{Contiguous::row, 256, 32, 256, 8, 2};
    s.spread = true;
    ASSERT_EQ(why_not(s), nullptr);
    for(index_t thread = 0; thread < 256; ++thread)
    {
        EXPECT_EQ(s.first_k(thread, 0), thread / 4 % 4 * 8 + thread % 2 * 4);
        EXPECT_EQ(s.first_row(thread, 0), (thread / 16 * 2 + thread / 2 % 2) * 8);
    }
    s.threads = 64; // two pieces a thread
    EXPECT_STREQ(
        why_not(s),
        "threads spread over the reduction where rows are contiguous and each copies a piece");
}

/// The lanes of a wave write neighbouring packs, in the layout's order; of lines along the
/// reduction any 8 lanes that read the same pack of neighbouring rows, and every fourth of 16, have
/// different banks; of lines along the rows the lanes that read 64 bytes of four lines.
TEST(OperandShape, WavesLoadStraightToLds)
{
    for(const Contiguous contiguous : {Contiguous::reduction, Contiguous::row})
        for(const index_t rows : {64, 128, 256})
            for(const index_t k : {32, 64})
                for(const index_t threads : {128, 256, 512})
                {
                    const bool along_rows = contiguous == Contiguous::row;
                    OperandShape s{contiguous, rows, k, threads, 8, 2, contiguous};
                    s.direct_to_lds = true;
                    if(rows * k / 8 % threads != 0)
                    {
                        EXPECT_NE(why_not(s), nullptr);
                        continue;
                    }
                    ASSERT_EQ(why_not(s), nullptr);
                    expect_sound(s);
                    LdsLayout layout     = along_rows ? LdsLayout{k, rows / 8, 8, 1, 0, 0, true}
                                                      : LdsLayout{rows, k / 8, 8, 1, 0, 0};
                    layout.direct_to_lds = true;
                    EXPECT_EQ(layout.size(), rows * k);
                    for(index_t piece = 0; piece < s.pieces(); ++piece)
                        for(index_t thread = 0; thread < threads; ++thread)
                        {
                            const index_t first = thread / 64 * 64;
                            const auto at       = [&](index_t t) {
                                return layout.element(s.first_row(t, piece), s.first_k(t, piece));
                            };
                            EXPECT_EQ(at(thread), at(first) + (thread - first) * 8);
                        }
                    const auto expect_apart = [&](std::vector<index_t> elements, index_t bytes) {
                        std::set<index_t> units;
                        for(const index_t e : elements)
                            units.insert(2 * e % bytes / 16);
                        EXPECT_EQ(units.size(), elements.size());
                    };
                    if(along_rows)
                        for(index_t line = 0; line < k; line += 4)
                            for(index_t row = 0; row < rows; row += 32)
                            {
                                std::vector<index_t> read;
                                for(index_t l = 0; l < 4; ++l)
                                    for(index_t pack = 0; pack < 4; ++pack)
                                        read.push_back(layout.element(row + 8 * pack, line + l));
                                expect_apart(read, 256);
                            }
                    else
                        for(index_t row = 0; row < rows; row += 16)
                            for(index_t pack = 0; pack < k / 8; ++pack)
                            {
                                std::vector<index_t> near, far;
                                for(index_t r = 0; r < 8; ++r)
                                    near.push_back(layout.element(row + r, 8 * pack));
                                for(index_t r = 0; r < 16; r += 4)
                                    far.push_back(layout.element(row + r, 8 * pack));
                                expect_apart(near, 128);
                                expect_apart(far, 256);
                            }
                }
    OperandShape s{Contiguous::reduction, 128, 16, 128, 8, 2};
    s.direct_to_lds = true;
    EXPECT_STREQ(
        why_not(s),
        "straight to LDS come lines of 64 or 128 bytes along the reduction, or of 128, 256 "
        "or 512 along the rows");
    s.k      = 32;
    s.vector = 4;
    EXPECT_STREQ(why_not(s), "straight to LDS come loads of 16 bytes of what is contiguous");
    s               = {Contiguous::row, 128, 32, 256, 16, 1, Contiguous::row};
    s.direct_to_lds = true;
    EXPECT_STREQ(
        why_not(s),
        "operands that lie along their rows come straight to LDS in elements of two bytes");
}

/// Eight lanes that LDS serves at a time have different banks, writing and reading, and each pack
/// its own place; a row's place does not change what the next 32 rows' differ by.
TEST(OperandShape, PacksAreTurnedWithTheirRow)
{
    for(const Contiguous contiguous : {Contiguous::reduction, Contiguous::row})
        for(const index_t rows : {64, 96, 128, 256})
            for(const index_t threads : {128, 256})
            {
                OperandShape s{contiguous, rows, 64, threads, 8, 2};
                s.vector = contiguous == Contiguous::row ? 4 : 8;
                if(!can_swizzle_rows(s))
                    continue;
                s.swizzled_rows = true;
                if(why_not(s) != nullptr) // 96 rows along their rows: no whole pieces
                    continue;
                expect_sound(s);
                LdsLayout layout{rows, 8, 8, 1, 0, 0};
                layout.swizzled_rows = true;
                EXPECT_EQ(layout.size(), rows * 64);
                std::set<index_t> places;
                for(index_t row = 0; row < rows; ++row)
                    for(index_t k = 0; k < 64; ++k)
                    {
                        places.insert(layout.element(row, k));
                        if(row >= 32)
                        {
                            EXPECT_EQ(layout.element(row, k),
                                      layout.element(row - 32, k) + 32 * 64);
                        }
                    }
                EXPECT_EQ(static_cast<index_t>(places.size()), rows * 64);
                EXPECT_EQ(*places.rbegin(), rows * 64 - 1);
                const auto expect_apart = [&](auto&& element) {
                    for(index_t first = 0; first < 64; first += 8)
                    {
                        std::set<index_t> banks;
                        for(index_t i = 0; i < 8; ++i)
                            banks.insert(element(warp::mfma_lane_served(first + i)) * 2 % 128 / 16);
                        EXPECT_EQ(banks.size(), 8U) << text(s);
                    }
                };
                for(index_t thread = 0; thread < threads; thread += 64)
                    for(index_t piece = 0; piece < s.pieces(); ++piece)
                        for(index_t r = 0; r < s.piece_rows(); ++r)
                            expect_apart([&](index_t lane) {
                                return layout.element(s.first_row(thread + lane, piece) + r,
                                                      s.first_k(thread + lane, piece));
                            });
                for(index_t row = 0; row < rows; row += 32)
                    for(index_t plane = 0; plane < 8; plane += 2)
                        expect_apart([&](index_t lane) { // 32x32x8
                            return layout.element(row + lane % 32, (plane + lane / 32) * 8);
                        });
                for(index_t row = 0; row < rows; row += 16)
                    for(index_t plane = 0; plane < 8; plane += 4)
                        expect_apart([&](index_t lane) { // 16x16x16
                            return layout.element(row + lane % 16, (plane + lane / 16) * 8);
                        });
            }
    OperandShape s{Contiguous::reduction, 128, 32, 256, 8, 2};
    s.swizzled_rows = true;
    EXPECT_STREQ(why_not(s),
                 "packs are swizzled in rows of 128 bytes of two-byte elements, which threads copy "
                 "in pieces of 1 or 4 rows");
}

TEST(OperandShape, SaysWhatIsWrong)
{
    const auto expect = [](const OperandShape& s, const char* part) {
        const char* const reason = why_not(s);
        ASSERT_NE(reason, nullptr) << text(s);
        EXPECT_NE(std::string(reason).find(part), std::string::npos) << reason;
    };
    expect({Contiguous::row, 0, 32, 256, 8, 2}, "must be positive");
    expect({Contiguous::row, 64, 12, 64, 1, 2}, "16-byte packs");
    expect({Contiguous::row, 64, 32, 64, 8, 4}, "wider than 16 bytes");
    expect({Contiguous::row, 64, 32, 96, 1, 2}, "cannot share the slice");
    expect({Contiguous::reduction, 32, 16, 512, 8, 2}, "cannot share the slice");
    expect({Contiguous::reduction, 64, 32, 64, 8, 2, Contiguous::row},
           "contiguous along their rows");
    expect({Contiguous::row, 64, 32, 64, 4, 2, Contiguous::row}, "whole global loads");
    expect({Contiguous::row, 48, 8, 32, 8, 2}, "whole number of pieces");
    expect({Contiguous::row, 48, 32, 64, 2, 2}, "whole number of pieces");
}

} // namespace
} // namespace ck::block::operand
