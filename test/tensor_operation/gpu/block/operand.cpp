// How threads share the copy of an operand's slice, by counting.
#include "ck/tensor_operation/gpu/block/operand.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ck::block {
namespace {

std::string text(const OperandShape& s)
{
    return std::string(s.contiguous == Contiguous::row ? "row" : "reduction") + " rows " +
           std::to_string(s.rows) + " k " + std::to_string(s.k) + " threads " +
           std::to_string(s.threads) + " vector " + std::to_string(s.vector) + " bytes " +
           std::to_string(s.element_bytes) +
           (s.packed == Contiguous::row ? " packed along rows" : "") + " run " +
           std::to_string(s.run) + (s.spread ? " spread" : "");
}

/// Every element is copied once; loads are aligned; a thread's pieces share a row or a k.
void expect_sound(const OperandShape& s)
{
    SCOPED_TRACE(text(s));
    std::vector<int> copies(static_cast<std::size_t>(s.rows * s.k));
    for(index_t thread = 0; thread < s.threads; ++thread)
        for(index_t piece = 0; piece < s.pieces(); ++piece)
        {
            const index_t row = s.first_row(thread, piece), k = s.first_k(thread, piece);
            EXPECT_TRUE(s.same_rows() ? row == s.first_row(thread, 0) : k == s.first_k(thread, 0))
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
} // namespace ck::block
