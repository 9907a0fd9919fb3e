// Parts, halos and pieces against the definition: which rows of X and Y meet at which tap.
#include "ck/distributed/split.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace {

using namespace ck;
using namespace ck::distributed;

/// Row of Y, tap, row of X.
using Meetings = std::set<std::tuple<long_index_t, long_index_t, long_index_t>>;

Meetings meetings(const Line& l)
{
    Meetings all;
    for(long_index_t o = 0; o < l.output(); ++o)
        for(long_index_t t = 0; t < l.filter; ++t)
            if(const auto i = o * l.stride + t * l.dilation - l.pad_low; i >= 0 && i < l.input)
                all.emplace(o, t, i);
    return all;
}

/// Meetings of a piece, in rows of the whole; the piece is computed as its own convolution.
Meetings meetings(const Line& whole, const Piece& p)
{
    Line own     = whole;
    own.input    = p.x.size();
    own.pad_low  = p.pad_low;
    own.pad_high = p.pad_high;
    EXPECT_EQ(own.output(), p.y.size());
    Meetings all;
    for(const auto& [o, t, i] : meetings(own))
        all.emplace(o + p.y.begin, t, i + p.x.begin);
    return all;
}

template <class F>
void for_each_line(const F& f)
{
    for(const long_index_t input : {1, 7, 16})
        for(const long_index_t filter : {1, 2, 3, 5})
            for(const long_index_t stride : {1, 2, 3})
                for(const long_index_t dilation : {1, 2, 3})
                    for(const long_index_t low : {-2, 0, 1, 4})
                        for(const long_index_t high : {-1, 0, 2, 9})
                            f(Line{input, filter, stride, dilation, low, high});
}

std::vector<Parts> parts_of(long_index_t rows)
{
    std::vector<Parts> all;
    for(int ranks = 1; ranks <= 8; ++ranks)
        all.push_back(even_parts(rows, ranks));
    all.push_back(parts_of_sizes({rows / 2, 0, rows - rows / 2}));
    all.push_back(parts_of_sizes({0, rows, 0}));
    all.push_back(parts_of_sizes({rows / 5, rows / 3, rows - rows / 5 - rows / 3}));
    return all;
}

std::string name(const Line& l, std::size_t rank)
{
    std::string s = "input, filter, stride, dilation, pads, rank:";
    for(const auto n : {l.input, l.filter, l.stride, l.dilation, l.pad_low, l.pad_high})
        s += " " + std::to_string(n);
    return s + " " + std::to_string(rank);
}

TEST(Split, EvenPartsCoverAllRows)
{
    EXPECT_EQ(even_parts(7, 3), (Parts{{0, 3}, {3, 5}, {5, 7}}));
    EXPECT_EQ(even_parts(1, 3), (Parts{{0, 1}, {1, 1}, {1, 1}}));
    EXPECT_THROW(even_parts(1, 0), std::invalid_argument);
    EXPECT_THROW(parts_of_sizes({1, -1}), std::invalid_argument);
}

TEST(Split, OutputPartsCoverAllRowsInOrder)
{
    for_each_line([](const Line& l) {
        for(const Parts& x : parts_of(l.input))
        {
            const Parts y = output_parts(l, x);
            ASSERT_EQ(y.size(), x.size());
            long_index_t end = 0;
            for(const Rows& rows : y)
            {
                ASSERT_EQ(rows.begin, end);
                ASSERT_GE(rows.size(), 0);
                end = rows.end;
            }
            ASSERT_EQ(end, l.output()) << name(l, 0);
        }
    });
}

TEST(Split, PiecesMeetWhatTheWholeMeets)
{
    std::size_t pieces = 0, interiors = 0, refused = 0;
    for_each_line([&](const Line& l) {
        const Meetings whole = meetings(l);
        for(const Parts& x : parts_of(l.input))
            for(const auto direction : {Direction::forward, Direction::backward_data})
            {
                const Parts y       = output_parts(l, x);
                const bool forward  = direction == Direction::forward;
                const Parts &result = forward ? y : x, &read = forward ? x : y;
                std::vector<Halo> halos;
                try
                {
                    halos = halos_of(l, direction, result, read, "rows");
                }
                catch(const std::invalid_argument&)
                {
                    ++refused;
                    continue;
                }
                Meetings together;
                for(std::size_t r = 0; r < x.size(); ++r)
                {
                    const Rows held{read[r].begin - halos[r].low, read[r].end + halos[r].high};
                    const Division d = divide(l, direction, result[r], read[r]);
                    ASSERT_EQ(d.low.begin, result[r].begin);
                    ASSERT_EQ(d.low.end, d.interior.begin);
                    ASSERT_EQ(d.interior.end, d.high.begin);
                    ASSERT_EQ(d.high.end, result[r].end);
                    for(const Rows& rows : {d.low, d.interior, d.high})
                    {
                        if(rows.empty())
                            continue;
                        ASSERT_FALSE(forward && held.empty()) << name(l, r);
                        const Piece p = piece_of(l, direction, rows, held);
                        ASSERT_TRUE(held.contain(forward ? p.x : p.y)) << name(l, r);
                        if(rows == d.interior)
                        {
                            ASSERT_TRUE(read[r].contain(l.read_for(direction, rows)));
                            ++interiors;
                        }
                        for(const auto& meeting : meetings(l, p))
                            ASSERT_TRUE(together.insert(meeting).second) << name(l, r);
                        ++pieces;
                    }
                }
                ASSERT_EQ(together, whole) << name(l, x.size());
            }
    });
    EXPECT_GT(pieces, 10000u);
    EXPECT_GT(interiors, 5000u);
    EXPECT_GT(refused, 1000u);
}

TEST(Split, BackwardWeightSumsEachMeetingOnce)
{
    for_each_line([](const Line& l) {
        for(const Parts& x : parts_of(l.input))
        {
            const Parts y = output_parts(l, x);
            Meetings together;
            for(std::size_t r = 0; r < x.size(); ++r)
            {
                if(y[r].empty())
                    continue;
                const Halo h  = halo_of(x[r], l.input_rows(y[r]));
                const Piece p = piece_of(
                    l, Direction::backward_weight, y[r], {x[r].begin - h.low, x[r].end + h.high});
                for(const auto& meeting : meetings(l, p))
                    ASSERT_TRUE(together.insert(meeting).second);
            }
            ASSERT_EQ(together, meetings(l)) << name(l, x.size());
        }
    });
}

TEST(Split, RowsBesideTheBorderNeedNoNeighbour)
{
    const Line l{12, 3, 1, 1, 1, 1};
    const Parts x = even_parts(12, 3);
    EXPECT_EQ(output_parts(l, x), x);
    const Division d = divide(l, Direction::forward, x[1], x[1]);
    EXPECT_EQ(d.low, (Rows{4, 5}));
    EXPECT_EQ(d.interior, (Rows{5, 7}));
    EXPECT_EQ(d.high, (Rows{7, 8}));
    // The first row of Y of the rank in the middle reads one row of a neighbour, and no padding.
    EXPECT_EQ(piece_of(l, Direction::forward, d.low, {3, 9}), (Piece{{3, 6}, {4, 5}, 0, 0}));
    // The first row of dX, a crop: rows 3 to 5 of dY reach rows 2 to 6.
    EXPECT_EQ(piece_of(l, Direction::backward_data, d.low, {3, 9}), (Piece{{4, 5}, {3, 6}, 2, 2}));
}

TEST(Split, WideHalosAreRefusedWithTheNumbers)
{
    const auto why = [](const Line& l, const Parts& x, Direction direction) {
        const Parts y      = output_parts(l, x);
        const bool forward = direction == Direction::forward;
        try
        {
            halos_of(l, direction, forward ? y : x, forward ? x : y, forward ? "X" : "dY");
        }
        catch(const std::invalid_argument& e)
        {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(why({8, 7, 1, 1, 3, 3}, even_parts(8, 4), Direction::forward),
              "rank 0 needs 3 rows of X after its part (rows 0 to 1), but its neighbour, rank 1, "
              "has only 2: use fewer ranks or larger parts");
    EXPECT_EQ(why({8, 7, 1, 1, 3, 3}, even_parts(8, 4), Direction::backward_data),
              "rank 0 needs 3 rows of dY after its part (rows 0 to 1), but its neighbour, rank 1, "
              "has only 2: use fewer ranks or larger parts");
    EXPECT_EQ(why({8, 7, 1, 1, 3, 3}, even_parts(8, 2), Direction::forward), "");
}

} // namespace
