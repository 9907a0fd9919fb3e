#pragma once
// How threads divide a matrix [rows][channels] in which each row has its own statistics: layer norm
// and RMS norm over the channels of each pixel. The threads of a row keep it in registers, if it
// consists of whole vectors and fits; otherwise they read it again in each pass, chunk by chunk.
#include "ck/arch/fast_math.hpp"
#include "ck/arch/lanes.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/norm/parameters.hpp"
#include "ck/tensor_operation/gpu/norm/tiling.hpp"

#include <algorithm>
#include <cmath>

namespace ck::norm {

struct RowTiling
{
    long_index_t rows;
    index_t channels;
    index_t lanes;  ///< threads of a row: a power of two
    index_t blocks; ///< a block has every blocks-th set of row_lanes() rows
    index_t chunks; ///< of lanes * vectors of a thread * vector channels

    /// Vectors of a thread, from 2, and the threads of a row.
    struct Lanes
    {
        index_t vectors, lanes;
    };
    /// vector: channels of one. most_vectors: more need too many registers. Fewer than two would
    /// keep too few bytes in flight.
    static constexpr Lanes lanes_of(index_t channels, index_t vector, index_t most_vectors)
    {
        const index_t all = (channels - 1) / vector + 1;
        index_t lanes     = 1;
        while(lanes < block_size && lanes * most_vectors < all)
            lanes *= 2;
        return {std::clamp<index_t>((all - 1) / lanes + 1, 2, most_vectors), lanes};
    }
    /// For a kernel. The result does not depend on the device.
    template <class Kernel>
    static constexpr RowTiling make(long_index_t rows, index_t channels)
    {
        const index_t lanes     = lanes_of(channels, Kernel::vector, Kernel::most_vectors).lanes,
                      row_lanes = block_size / lanes;
        return {rows,
                channels,
                lanes,
                static_cast<index_t>(std::min((rows - 1) / row_lanes + 1, Kernel::most_blocks)),
                (channels - 1) / (lanes * Kernel::vectors * Kernel::vector) + 1};
    }
    CK_HOST_DEVICE constexpr index_t row_lanes() const { return block_size / lanes; }
};

/// What is computed of a row: its mean, unless that is taken as 0, and the inverse of its
/// deviation.
template <class Acc>
struct RowStatistics
{
    bool centers;         ///< subtracts the mean
    Acc inverse_channels; ///< 1 / channels
    Acc epsilon;          ///< added to the mean square
    Acc most;             ///< inverse deviation: larger ones become this

    /// The mean of a row's values whose sum is given.
    CK_DEVICE CK_INLINE Acc mean(Acc sum) const { return sum * inverse_channels; }
    CK_DEVICE CK_INLINE Acc inverse(Acc mean_square) const
    {
        const Acc r = arch::reciprocal_root(mean_square + epsilon);
        return r > most ? most : r; // NaN stays NaN
    }
    /// Whether the inverse is the limit, which does not depend on x.
    CK_DEVICE CK_INLINE bool is_limit(Acc inverse) const { return inverse >= most; }
};

/// Sums over the threads of each row of a block, in a fixed order.
template <class Acc>
struct RowSums
{
    static constexpr index_t group = 32; ///< threads that exchange registers

    /// Two calls, one after the other, use different parts: a thread is at most one call ahead.
    Acc part[2][2][block_size / group];

    /// Replaces each thread's terms, one or two, by the sums of its row. All threads of the block
    /// call it. call: of the thread, 0 before the first one.
    template <index_t count>
    CK_DEVICE CK_INLINE void add(Acc (&sum)[count], index_t lanes, index_t& call)
    {
        CK_NOT_UNROLLED
        for(index_t mask = (lanes < group ? lanes : group) / 2; mask > 0; mask /= 2)
            repeat<count>([&](index_t i) { sum[i] += arch::from_lane_xor(sum[i], mask); });
        if(lanes <= group)
            return;
        const index_t thread = arch::thread_index(), first = thread / lanes * (lanes / group);
        if(thread % group == 0)
            repeat<count>([&](index_t i) { part[call][i][thread / group] = sum[i]; });
        arch::block_sync();
        repeat<count>([&](index_t i) {
            sum[i] = Acc(0);
            for(index_t g = 0; g < lanes / group; ++g)
                sum[i] += part[call][i][first + g];
        });
        call = 1 - call;
    }
};

/// A thread's part of the rows: `count` vectors of every chunk. If `whole`, vectors are loaded and
/// stored as a whole, as in Tiling, and there is one chunk. Values are computed in pieces of
/// vectors, which need fewer registers.
template <class T, class Acc, index_t count, bool whole>
struct RowPart
{
    static constexpr index_t vector = wide_vector<T>, piece = vector < 4 ? vector : 4,
                             pieces = vector / piece;
    using Elements                  = Vector<T, vector>;
    using Words                     = Vector<std::uint32_t, 4>; ///< the bits of Elements
    using Values                    = Acc[piece];

    const RowTiling& tiling;
    index_t lane = arch::thread_index() % tiling.lanes;

    /// Calls use(v, first channel, channels that exist) for the vectors that have any.
    template <class Use>
    CK_DEVICE CK_INLINE void each(index_t chunk, const Use& use) const
    {
        repeat<count>([&](index_t v) {
            const index_t first = (chunk * count + v) * tiling.lanes * vector +
                                  lane * (whole ? vector : 1),
                          left = tiling.channels - first;
            if(left <= 0)
                return;
            const index_t present = (left - 1) / tiling.lanes + 1;
            use(v, first, whole || present > vector ? vector : present);
        });
    }
    CK_DEVICE CK_INLINE void load(Elements (&to)[count], const T* row, index_t chunk) const
    {
        each(chunk,
             [&](index_t v, index_t first, index_t n) { to[v] = access(n).load(row + first); });
    }
    /// A whole row for later. Nvcc would split vectors of 16-bit elements, and wait for them, where
    /// loops carry them.
    CK_DEVICE CK_INLINE void load(Words (&to)[count], const T* row) const
    {
        each(0, [&](index_t v, index_t first, index_t) {
            to[v] = arch::read_whole<Words>(row + first);
        });
    }
    CK_DEVICE CK_INLINE void store(T* row, index_t first, index_t n, const Elements& from) const
    {
        access(n).store(row + first, from);
    }
    /// The q-th piece of a vector.
    CK_DEVICE CK_INLINE static void values(Values& to, const Elements& from, index_t q)
    {
        repeat<piece>([&](index_t e) { to[e] = type_convert<Acc>(from[q * piece + e]); });
    }
    CK_DEVICE CK_INLINE static void put(Elements& to, const Values& from, index_t q)
    {
        repeat<piece>([&](index_t e) { to[q * piece + e] = type_convert<T>(from[e]); });
    }
    /// weight or bias of the q-th piece of a vector with n channels; `missing` if it is null.
    CK_DEVICE CK_INLINE void parameters(Values& to,
                                        const Parameters<T, Acc>& from,
                                        index_t first,
                                        index_t q,
                                        index_t n,
                                        Acc missing) const
    {
        if(from == nullptr)
            repeat<piece>([&](index_t e) { to[e] = missing; });
        else if(whole && from.are_vectors())
            from.load(to, first + q * piece);
        else
            repeat<piece>([&](index_t e) {
                to[e] = from[channel(first, has(q, e, n) ? q * piece + e : n - 1)];
            });
    }
    /// weight or bias of the thread's channels of a row that is one chunk; `missing` if it is null.
    CK_DEVICE CK_INLINE void
    parameters(Values (&to)[count * pieces], const Parameters<T, Acc>& from, Acc missing) const
    {
        if(from == nullptr)
            repeat<count * pieces>(
                [&](index_t i) { repeat<piece>([&](index_t e) { to[i][e] = missing; }); });
        else if(from.of_elements)
            read(to, static_cast<const T*>(from.at), from.are_vectors());
        else
            read(to, static_cast<const Acc*>(from.at), from.are_vectors());
    }
    /// The e-th channel of a vector.
    CK_DEVICE CK_INLINE index_t channel(index_t first, index_t e) const
    {
        return first + e * (whole ? 1 : tiling.lanes);
    }
    /// Whether the e-th channel of the q-th piece exists, of n channels of a vector.
    CK_DEVICE CK_INLINE static bool has(index_t q, index_t e, index_t n)
    {
        return whole || q * piece + e < n;
    }

private:
    template <class From>
    CK_DEVICE CK_INLINE void
    read(Values (&to)[count * pieces], const From* from, bool are_vectors) const
    {
        Vector<From, piece> all[count * pieces]{}; // loads that wait together
        each(0, [&](index_t v, index_t first, index_t) {
            repeat<pieces>([&](index_t q) {
                auto& one            = all[v * pieces + q];
                const From* const at = from + first + q * piece;
                if(are_vectors)
                    one = arch::read_whole<Vector<From, piece>>(at);
                else
                    repeat<piece>([&](index_t e) { one[e] = at[e]; });
            });
        });
        repeat<count * pieces>([&](index_t i) {
            repeat<piece>([&](index_t e) { to[i][e] = type_convert<Acc>(all[i][e]); });
        });
    }
    CK_DEVICE CK_INLINE Access<T, vector, whole> access(index_t n) const
    {
        return {tiling.lanes, n};
    }
};

/// Weight and bias of all channels of a row, in LDS: a block reads them once.
template <class T, class Acc, index_t most_channels>
struct RowParameters
{
    static constexpr index_t vector = wide_vector<T>, piece = vector < 4 ? vector : 4;

    alignas(16) Acc value[2][most_channels]; ///< weights, biases

    /// All threads of the block call it. Weights that are null are 1, biases 0.
    CK_DEVICE CK_INLINE void
    fill(const Parameters<T, Acc>& weight, const Parameters<T, Acc>& bias, index_t channels)
    {
        CK_NOT_UNROLLED
        for(index_t c = arch::thread_index(); c < channels; c += block_size)
        {
            value[0][place(c)] = weight == nullptr ? Acc(1) : weight[c];
            value[1][place(c)] = bias == nullptr ? Acc(0) : bias[c];
        }
    }
    /// Those of a piece of a vector that begins at `channel`.
    CK_DEVICE CK_INLINE void load(Acc (&to)[piece], bool is_bias, index_t channel) const
    {
        const auto all = arch::read_whole<Vector<Acc, piece>>(&value[is_bias][place(channel)]);
        repeat<piece>([&](index_t e) { to[e] = all[e]; });
    }

private:
    /// First pieces of all vectors come first, so that neighbouring threads, which have
    /// neighbouring vectors, read different banks.
    CK_DEVICE CK_INLINE static index_t place(index_t c)
    {
        return c % vector / piece * (most_channels * piece / vector) + c / vector * piece +
               c % piece;
    }
};
template <class T, class Acc>
struct RowParameters<T, Acc, 0>
{};

/// The first row of a thread. A missing row is replaced by the last.
CK_DEVICE CK_INLINE long_index_t first_row(const RowTiling& t)
{
    const long_index_t row =
        long_index_t{arch::block_index()} * t.row_lanes() + arch::thread_index() / t.lanes;
    return row < t.rows ? row : t.rows - 1;
}

/// Calls use(row, whether it exists, the thread's next row) for each of a block's sets of rows, in
/// all threads. A missing row is replaced by the last.
template <class Use>
CK_DEVICE CK_INLINE void each_row(const RowTiling& t, const Use& use)
{
    const index_t row_lane  = arch::thread_index() / t.lanes;
    const long_index_t step = long_index_t{t.blocks} * t.row_lanes(), last = t.rows - 1;
    CK_NOT_UNROLLED
    for(long_index_t first = long_index_t{arch::block_index()} * t.row_lanes(); first < t.rows;
        first += step)
    {
        const long_index_t row = first + row_lane, after = row + step;
        use(row < last ? row : last, row <= last, after < last ? after : last);
    }
}

} // namespace ck::norm
