#pragma once
// Splits one dimension of a convolution into parts, one for each rank: which rows a rank computes,
// which it reads, and the pads that make some rows a convolution of their own.
//
// Rows are indices along the dimension. Row o of Y and row i of X meet at tap t where
//
//   i = o * stride + t * dilation - pad low
//
// Ranks exchange whole rows, never sums: each row of the result has one owner.
#include "ck/convolution/direction.hpp"
#include "ck/utility/integer.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::distributed {

/// Rows in [begin, end).
struct Rows
{
    long_index_t begin = 0; ///< the first row
    long_index_t end   = 0; ///< one past the last row; not less than begin

    /// The number of rows.
    constexpr long_index_t size() const { return end - begin; }
    /// Whether there are no rows.
    constexpr bool empty() const { return size() == 0; }
    /// Whether all rows of `other` are in this range; an empty range always is.
    constexpr bool contain(const Rows& other) const
    {
        return other.empty() || (begin <= other.begin && other.end <= end);
    }
    /// Whether both are the same.
    constexpr bool operator==(const Rows&) const = default;
};

/// Text such as "rows 3 to 7" for Rows{3, 8}.
inline std::string to_string(const Rows& rows)
{
    return rows.empty()
               ? "no rows"
               : "rows " + std::to_string(rows.begin) + " to " + std::to_string(rows.end - 1);
}

/// Sizes as in ConvSpec, along the dimension that is split; they say which rows of X and Y meet.
struct Line
{
    long_index_t input    = 1; ///< rows of X
    long_index_t filter   = 1; ///< taps
    long_index_t stride   = 1; ///< rows of X from one row of Y to the next
    long_index_t dilation = 1; ///< rows of X from one tap to the next
    long_index_t pad_low  = 0; ///< rows of zeros before X; negative: rows that are ignored
    long_index_t pad_high = 0; ///< after X, likewise

    /// Throws std::invalid_argument if a size is too small, or larger than 2^31 - 1.
    constexpr void check() const
    {
        const auto require = [](const char* what, long_index_t size, long_index_t least) {
            constexpr long_index_t most = 2'147'483'647;
            if(size < least || size > most)
                throw std::invalid_argument(std::string("ck::distributed::Line: ") + what + " is " +
                                            std::to_string(size) + ", but must be from " +
                                            std::to_string(least) + " to " + std::to_string(most));
        };
        require("input", input, 1);
        require("filter", filter, 1);
        require("stride", stride, 1);
        require("dilation", dilation, 1);
        require("pad_low", pad_low, -2'147'483'647);
        require("pad_high", pad_high, -2'147'483'647);
    }
    /// Rows of X that one window spans.
    constexpr long_index_t reach() const { return (filter - 1) * dilation + 1; }
    /// The number of rows of Y. Throws as check() does.
    constexpr long_index_t output() const
    {
        check();
        const long_index_t room = input + pad_low + pad_high - reach();
        return room < 0 ? 0 : room / stride + 1;
    }
    /// Rows of X in the windows of rows of Y, without padding. Throws likewise.
    constexpr Rows input_rows(const Rows& y) const
    {
        check();
        if(y.empty())
            return {};
        const long_index_t begin = std::max<long_index_t>(y.begin * stride - pad_low, 0),
                           end   = std::min((y.end - 1) * stride - pad_low + reach(), input);
        return begin < end ? Rows{begin, end} : Rows{};
    }
    /// Rows of Y whose windows contain one of these rows of X. Throws likewise.
    constexpr Rows output_rows(const Rows& x) const
    {
        check();
        if(x.empty())
            return {};
        const long_index_t first = x.begin + pad_low - reach() + 1, last = x.end - 1 + pad_low;
        const long_index_t begin = first <= 0 ? 0 : (first + stride - 1) / stride,
                           end   = last < 0 ? 0 : std::min(last / stride + 1, output());
        return begin < end ? Rows{begin, end} : Rows{};
    }
    /// The rows that a direction reads to compute rows of its result: rows of X for rows of Y
    /// (forward), rows of dY for rows of dX (backward data).
    constexpr Rows read_for(Direction direction, const Rows& result) const
    {
        return direction == Direction::backward_data ? output_rows(result) : input_rows(result);
    }
};

/// The rows of each rank, contiguous and in the order of the ranks. A rank may have no rows.
using Parts = std::vector<Rows>;

/// Parts of the given sizes, one for each rank. Throws std::invalid_argument if a size is negative,
/// or if their sum overflows.
inline Parts parts_of_sizes(const std::vector<long_index_t>& sizes)
{
    Parts parts;
    long_index_t begin = 0;
    for(const long_index_t size : sizes)
    {
        if(size < 0)
            throw std::invalid_argument("a part has " + std::to_string(size) +
                                        " rows, but must have at least 0");
        if(size > std::numeric_limits<long_index_t>::max() - begin)
            throw std::invalid_argument("parts have " + std::to_string(begin) + " and " +
                                        std::to_string(size) + " rows, more than can be counted");
        parts.push_back({begin, begin + size});
        begin += size;
    }
    return parts;
}

/// Parts whose sizes differ by at most 1, the larger ones first. Throws std::invalid_argument
/// unless rows is at least 0 and ranks at least 1.
inline Parts even_parts(long_index_t rows, int ranks)
{
    if(rows < 0 || ranks < 1)
        throw std::invalid_argument(std::to_string(rows) + " rows for " + std::to_string(ranks) +
                                    " ranks, but must be at least 0 for at least 1");
    std::vector<long_index_t> sizes;
    for(int rank = 0; rank < ranks; ++rank)
        sizes.push_back(rows / ranks + (rank < rows % ranks ? 1 : 0));
    return parts_of_sizes(sizes);
}

/// Parts of Y: a row belongs to the rank that owns the row of X at the middle of its window, or the
/// nearest row of X. This makes halos as small as possible.
inline Parts output_parts(const Line& line, const Parts& input)
{
    line.check();
    Parts parts;
    long_index_t o = 0;
    for(const Rows& x : input)
    {
        const long_index_t begin = o;
        const auto middle        = [&] {
            return std::clamp<long_index_t>(
                o * line.stride - line.pad_low + (line.reach() - 1) / 2, 0, line.input - 1);
        };
        while(o < line.output() && middle() < x.end)
            ++o;
        parts.push_back({begin, o});
    }
    return parts;
}

/// Rows of its neighbours that a rank reads.
struct Halo
{
    long_index_t low  = 0; ///< right before its own rows
    long_index_t high = 0; ///< right after its own rows

    /// Whether both are the same.
    constexpr bool operator==(const Halo&) const = default;
};

/// The halo of one rank. own: its own rows of the tensor that is read. needed: the rows that it
/// reads.
constexpr Halo halo_of(const Rows& own, const Rows& needed)
{
    if(needed.empty())
        return {};
    return {std::max<long_index_t>(own.begin - needed.begin, 0),
            std::max<long_index_t>(needed.end - own.end, 0)};
}

/// The halo of each rank in the tensor that `direction` reads. Throws std::invalid_argument if a
/// halo is wider than the part of the neighbour that sends it. what: "X" or "dY".
inline std::vector<Halo> halos_of(const Line& line,
                                  Direction direction,
                                  const Parts& result,
                                  const Parts& read,
                                  const std::string& what)
{
    line.check();
    if(result.size() != read.size())
        throw std::invalid_argument("there are " + std::to_string(result.size()) +
                                    " parts of the result, but " + std::to_string(read.size()) +
                                    " of " + what + ": one for each rank of both");
    std::vector<Halo> halos;
    const auto require = [&](std::size_t rank, long_index_t rows, bool low) {
        const bool there = low ? rank > 0 : rank + 1 < read.size();
        if(rows == 0 || (there && rows <= read[low ? rank - 1 : rank + 1].size()))
            return;
        throw std::invalid_argument(
            "rank " + std::to_string(rank) + " needs " + std::to_string(rows) + " rows of " + what +
            (low ? " before" : " after") + " its part (" + to_string(read[rank]) + "), but " +
            (there ? "its neighbour, rank " + std::to_string(low ? rank - 1 : rank + 1) +
                         ", has only " + std::to_string(read[low ? rank - 1 : rank + 1].size())
                   : std::string("has no neighbour there")) +
            ": use fewer ranks or larger parts");
    };
    for(std::size_t rank = 0; rank < read.size(); ++rank)
    {
        halos.push_back(halo_of(read[rank], line.read_for(direction, result[rank])));
        require(rank, halos.back().low, true);
        require(rank, halos.back().high, false);
    }
    return halos;
}

/// Some rows of X and of Y as a convolution of its own, with pads that keep their relative
/// position. Pads may be negative.
struct Piece
{
    Rows x;                    ///< rows of X or dX, counted in the whole tensor
    Rows y;                    ///< rows of Y or dY, likewise
    long_index_t pad_low  = 0; ///< pad of the piece, before its first row of X
    long_index_t pad_high = 0; ///< pad after its last row of X

    /// Whether both are the same.
    constexpr bool operator==(const Piece&) const = default;
};

/// The piece with these rows of X and Y. x: at least one row. y: if none, the piece has no output.
constexpr Piece make_piece(const Line& line, const Rows& x, const Rows& y)
{
    if(y.empty())
        return {x, y, 0, line.reach() - 1 - x.size()}; // one row less than one window
    const long_index_t low = line.pad_low + x.begin - y.begin * line.stride;
    return {x, y, low, (y.size() - 1) * line.stride + line.reach() - x.size() - low};
}

/// The piece that computes rows of the direction's result; for backward weight, the sum over these
/// rows of Y. held: the rank's rows of the tensor that is read, at least one. One of them becomes
/// the input if all windows are padding, since a convolution needs an input.
constexpr Piece
piece_of(const Line& line, Direction direction, const Rows& result, const Rows& held)
{
    const Rows read = line.read_for(direction, result);
    if(direction == Direction::backward_data)
        return make_piece(line, result, read);
    return make_piece(line, read.empty() ? Rows{held.begin, held.begin + 1} : read, result);
}

/// A rank's rows of the result: the rows that need nothing from neighbours, and the rows before and
/// after them.
struct Division
{
    Rows low;      ///< before the interior
    Rows interior; ///< rows that need nothing from neighbours
    Rows high;     ///< after the interior
};

/// Divides a rank's rows of the result. own: its rows of the tensor that is read.
inline Division divide(const Line& line, Direction direction, const Rows& result, const Rows& own)
{
    Rows best{result.end, result.end}, run = best;
    for(long_index_t row = result.begin; row < result.end; ++row)
    {
        if(!own.contain(line.read_for(direction, {row, row + 1})))
            continue;
        run = run.end == row && !run.empty() ? Rows{run.begin, row + 1} : Rows{row, row + 1};
        if(run.size() > best.size())
            best = run;
    }
    return {{result.begin, best.begin}, best, {best.end, result.end}};
}

} // namespace ck::distributed
