#pragma once
// Partial sums that a split reduction stores in a workspace: GridwiseConv writes them,
// ReducePartialSums adds them up. If tiles have different numbers of them, see split_tiles.hpp for
// their positions.
#include "ck/utility/integer.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ck::grid {

/// Whether all tiles of a transform may be computed in partial sums.
template <class Transform>
inline constexpr bool splits_sums = requires
{
    requires Transform::splits;
};

/// The type in which long lists of partial sums are added: 64-bit integers for integers, because
/// each partial sum may use all 32 bits. That takes longer (0.4 us of 18, H200), so short lists
/// keep the type of the partial sums.
template <class Partial>
using TotalOf = std::conditional_t<std::is_same_v<Partial, std::int32_t>, std::int64_t, Partial>;

/// [partial][group][row][row_length] accumulators: floats, 32-bit integers or doubles. `partial`
/// counts splits of the reduction, then sub-batches (slowest).
struct PartialSums
{
    void* base;           ///< null: the sum is not split: it is stored as C itself
    index_t row_length;   ///< elements: C's columns, rounded up to whole stores
    long_index_t group;   ///< elements between groups
    long_index_t partial; ///< elements between partial sums

    /// The time to store and add one partial sum, in output pixels multiplied in that time, unless
    /// a kernel says otherwise. Fitted for f16.
    static constexpr index_t pixels = 1280;
    /// Accumulators that one store writes where the tile allows it.
    static constexpr index_t vector = 4;

    static constexpr PartialSums make(void* base, index_t rows, index_t columns, index_t groups)
    {
        const index_t row_length = math::integer_divide_ceil(columns, vector) * vector;
        const long_index_t group = long_index_t{rows} * row_length;
        return {base, row_length, group, group * groups};
    }

    auto addresses() const { return std::tie(base); }
};

} // namespace ck::grid
