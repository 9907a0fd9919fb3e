#pragma once
// How blocks divide a matrix [rows][channels], or one for each image. A block has a tile of
// channels and a range of rows; each thread has some channels of every few rows and keeps their
// sums in registers.
#include "ck/arch/index.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/norm/parameters.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

#include <algorithm>
#include <type_traits>

namespace ck::norm {

inline constexpr index_t block_size = 256;
/// The most channels in a tile: 256 bytes of f16. A block adds up two sums per channel, one in each
/// of its threads.
inline constexpr index_t most_tile = block_size / 2;
/// Channels per thread: a vector of 16 bytes, or of 8 bytes if the thread keeps several values per
/// channel in registers.
template <class T>
inline constexpr index_t wide_vector = 16 / sizeof(T);
template <class T>
inline constexpr index_t narrow_vector = sizeof(T) == 2 ? 4 : wide_vector<T>;

/// One matrix, in which each channel has its own statistics: batch norm.
struct Tiling
{
    static constexpr bool has_groups   = false; ///< whether channels share statistics
    static constexpr bool has_residual = true;  ///< whether kernels may add one
    template <class T, class Acc>
    using Parameters = const Acc*; ///< weight or bias

    long_index_t rows, channels, rows_a_range;
    index_t tiles, ranges;
    index_t lanes;     ///< threads that share a row of a tile
    index_t row_lanes; ///< rows that a block's threads read at a time
    bool vectors;      ///< a thread's channels are neighbours, which one load moves; else they are
                       ///< `lanes` apart, so that neighbouring threads load neighbours

    /// vector: channels per thread. blocks: that run at once on a multiprocessor. matrices: of this
    /// size. The result, and so the sums, do not depend on the device.
    static constexpr Tiling make(long_index_t rows,
                                 long_index_t channels,
                                 index_t vector,
                                 index_t blocks,
                                 bool vectors,
                                 long_index_t matrices = 1)
    {
        const long_index_t most_blocks    = 132 * blocks; // an H200's
        constexpr long_index_t least_rows = 4;            // the fewest rows of a thread
        const auto quotient = [](long_index_t a, long_index_t b) { return (a + b - 1) / b; };
        Tiling t{rows, channels, rows, 1, 1, 1, 1, vectors};
        t.tiles     = static_cast<index_t>(quotient(channels, most_tile));
        t.lanes     = static_cast<index_t>(quotient(quotient(channels, t.tiles), vector));
        t.row_lanes = block_size / t.lanes;
        const long_index_t most = matrices == 1 ? std::max<long_index_t>(most_blocks / t.tiles, 1)
                                                : ranges_of(t.tiles * matrices, most_blocks);
        t.ranges                = static_cast<index_t>(
            std::clamp<long_index_t>(rows / (t.row_lanes * least_rows),
                                     quotient(rows, long_index_t{1} << 30), // of 32 bits
                                     std::max(most, quotient(rows, long_index_t{1} << 30))));
        t.rows_a_range = quotient(rows, t.ranges);
        t.ranges       = static_cast<index_t>(quotient(rows, t.rows_a_range)); // none is empty
        return t;
    }

    /// How many ranges each of these tiles has at most: as many as all run at once, or up to four
    /// times as many if this keeps more multiprocessors busy. Greedy: the next larger number is
    /// taken that makes a launch a tenth faster than the best so far. Every call of a plan asks, so
    /// numbers that cannot be faster are skipped. most_blocks: that run at once.
    static constexpr long_index_t ranges_of(long_index_t tiles, long_index_t most_blocks)
    {
        long_index_t best   = std::max<long_index_t>(most_blocks / tiles, 1);
        long_index_t rounds = (tiles * best + most_blocks - 1) / most_blocks; // with the best
        for(long_index_t more = rounds; more <= 4;)
        {
            // The fewest that take `more` rounds and 10 * more * best < 9 * rounds * ranges.
            const long_index_t ranges = std::max({best + 1,
                                                  (more - 1) * most_blocks / tiles + 1,
                                                  10 * more * best / (9 * rounds) + 1});
            if(ranges * tiles <= more * most_blocks)
                best = ranges, rounds = more;
            else
                ++more;
        }
        return best;
    }

    constexpr index_t grid_size() const { return tiles * ranges; }

    /// The block's number, and the matrix of a range.
    CK_DEVICE CK_INLINE index_t block() const { return arch::block_index(); }
    CK_DEVICE CK_INLINE index_t matrix_of(index_t) const { return 0; }
    /// Where the values of a channel are in [matrices][channels], and in [matrices][groups].
    CK_DEVICE CK_INLINE long_index_t in_matrix(long_index_t channel) const { return channel; }
    CK_DEVICE CK_INLINE long_index_t statistic(long_index_t channel) const { return channel; }
    /// Where x has the element at this offset, which is in this row of the matrix.
    CK_DEVICE CK_INLINE long_index_t in_x(long_index_t at, long_index_t) const { return at; }
};

/// The same, where the matrix has the first channels of an x with longer rows.
struct StridedTiling : Tiling
{
    long_index_t gap; ///< elements of x between one row of the matrix and the next

    CK_DEVICE CK_INLINE long_index_t in_x(long_index_t at, long_index_t row) const
    {
        return at + row * gap;
    }
};

/// A matrix for each image, in which each group of neighbouring channels has its own statistics:
/// group norm.
struct ImageTiling : Tiling
{
    static constexpr bool has_groups   = true;
    static constexpr bool has_residual = false;
    template <class T, class Acc>
    using Parameters = norm::Parameters<T, Acc>;

    index_t images;
    index_t group; ///< channels of one
    bool reversed; ///< the last block comes first, which the previous launch left in the cache

    /// As Tiling::make().
    static constexpr ImageTiling make(long_index_t images,
                                      long_index_t rows,
                                      long_index_t channels,
                                      long_index_t groups,
                                      index_t vector,
                                      index_t blocks,
                                      bool vectors)
    {
        ImageTiling t{Tiling::make(rows, channels, vector, blocks, vectors, images),
                      static_cast<index_t>(images),
                      static_cast<index_t>(channels / groups),
                      false};
        return t;
    }
    constexpr ImageTiling backwards() const
    {
        ImageTiling t = *this;
        t.reversed    = true;
        return t;
    }

    constexpr index_t grid_size() const { return images * tiles * ranges; }
    constexpr index_t groups() const { return static_cast<index_t>(channels) / group; }

    CK_DEVICE CK_INLINE index_t block() const
    {
        return reversed ? grid_size() - 1 - arch::block_index() : arch::block_index();
    }
    CK_DEVICE CK_INLINE index_t matrix_of(index_t range) const { return range / ranges; }
    CK_DEVICE CK_INLINE long_index_t in_matrix(long_index_t channel) const
    {
        return matrix() * channels + channel;
    }
    CK_DEVICE CK_INLINE long_index_t statistic(long_index_t channel) const
    {
        return long_index_t{matrix()} * groups() + static_cast<index_t>(channel) / group;
    }
    /// Where the first value of a channel's group is.
    CK_DEVICE CK_INLINE long_index_t first_value(long_index_t channel) const
    {
        return matrix() * rows * channels + static_cast<index_t>(channel) / group * group;
    }

private:
    CK_DEVICE CK_INLINE index_t matrix() const { return matrix_of(block() / tiles); }
};

/// The same, with a residual.
struct ResidualImageTiling : ImageTiling
{
    static constexpr bool has_residual = true;
};

/// A thread's part of a matrix: `vector` channels of every row_lanes-th row in a range of rows.
template <index_t vector>
struct Place
{
    index_t lane, row_lane, tile;
    index_t range;    ///< number of the range among those of all matrices
    index_t channels; ///< channels that exist; 0: the thread has nothing to do
    long_index_t first_row;
    index_t rows;
    long_index_t at; ///< its first channel's offset in the range's first row

    template <class Tiling>
    CK_DEVICE CK_INLINE explicit Place(const Tiling& t)
    {
        const index_t thread = arch::thread_index(), block = t.block();
        lane                    = thread % t.lanes;
        row_lane                = thread / t.lanes;
        tile                    = block % t.tiles;
        range                   = block / t.tiles;
        const index_t matrix    = t.matrix_of(range);
        first_row               = (range - matrix * t.ranges) * t.rows_a_range;
        const long_index_t left = t.rows - first_row;
        rows = static_cast<index_t>(left < t.rows_a_range ? left : t.rows_a_range);
        const long_index_t first  = first_channel(t) + lane * (t.vectors ? vector : 1),
                           others = t.channels - first;
        // Channels left in this tile. The last channel of a tile's last thread is at most lanes *
        // vector after its first.
        const index_t tile_rest =
            others < t.lanes * vector ? static_cast<index_t>(others) : t.lanes * vector;
        const index_t mine = t.vectors ? tile_rest : (tile_rest + t.lanes - 1) / t.lanes;
        channels = row_lane >= t.row_lanes || mine <= 0 ? 0 : mine < vector ? mine : vector;
        at       = (matrix * t.rows + first_row) * t.channels + first;
    }

    CK_DEVICE CK_INLINE long_index_t first_channel(const Tiling& t) const
    {
        return long_index_t{tile} * t.lanes * vector;
    }
    /// Returns the position of the thread's e-th channel in the tile.
    CK_DEVICE CK_INLINE index_t in_tile(const Tiling& t, index_t e) const
    {
        return t.vectors ? lane * vector + e : lane + e * t.lanes;
    }
};

/// A thread's vectors in tensors. vectors: see Tiling::vectors.
template <class T, index_t vector, bool vectors>
struct Access
{
    using Elements = Vector<T, vector>;

    index_t lanes, channels;

    /// Loads the last existing channel in place of a missing one: loads without branches are in
    /// flight together.
    CK_DEVICE CK_INLINE Elements load(const T* from) const
    {
        if constexpr(vectors)
            return arch::read_whole<Elements>(from);
        else
        {
            Elements r;
            repeat<vector>(
                [&](index_t e) { r[e] = from[(e < channels ? e : channels - 1) * lanes]; });
            return r;
        }
    }
    CK_DEVICE CK_INLINE void store(T* to, const Elements& value) const
    {
        if constexpr(vectors)
            arch::write_undivided(to, value);
        else
            repeat<vector>([&](index_t e) {
                if(e < channels)
                    to[e * lanes] = value[e];
            });
    }
};

/// Visits a thread's rows, `together` at a time: calls load(u, at), or load(u, at, number of the
/// row in the matrix), for all of them, then use(u, at, whether the row exists). backwards: starts
/// at the range's last row, which the previous launch left in the cache.
template <index_t together, index_t vector, class Load, class Use>
CK_DEVICE CK_INLINE void for_rows(
    const Tiling& t, const Place<vector>& place, bool backwards, const Load& load, const Use& use)
{
    const long_index_t row = backwards ? t.channels * -1 : t.channels, step = row * t.row_lanes;
    long_index_t at =
        place.at + (backwards ? (place.rows - 1) * t.channels : 0) + row * place.row_lane;
    CK_NOT_UNROLLED
    for(index_t left = place.rows - place.row_lane; left > 0;
        left -= together * t.row_lanes, at += together * step)
    {
        // A missing row is replaced by the first of these rows.
        repeat<together>([&](index_t u) {
            const bool exists = u * t.row_lanes < left;
            if constexpr(std::is_invocable_v<const Load&, index_t, long_index_t, long_index_t>)
            {
                const index_t row = place.rows - left + (exists ? u * t.row_lanes : 0);
                load(u,
                     exists ? at + u * step : at,
                     place.first_row + (backwards ? place.rows - 1 - row : row));
            }
            else
                load(u, exists ? at + u * step : at);
        });
        repeat<together>([&](index_t u) { use(u, at + u * step, u * t.row_lanes < left); });
    }
}

} // namespace ck::norm
