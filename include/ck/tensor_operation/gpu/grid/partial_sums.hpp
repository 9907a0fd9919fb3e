#pragma once
// The partial sums that a split reduction leaves in a workspace: written by GridwiseConv, added
// up by ReducePartialSums. Those of tiles that have different numbers of them lie as
// split_tiles.hpp says.
#include "ck/utility/integer.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ck::grid {

/// Whether the sums of all of a transform's tiles may be computed in partial sums.
template <class Transform>
inline constexpr bool splits_sums = requires
{
    requires Transform::splits;
};

/// What long sums of partial sums are added up as: integers in 64 bits, as each partial may take
/// all of its 32. That takes longer, 0.4 us of 18 (H200), so short sums keep the partial sums'
/// type.
template <class Partial>
using TotalOf = std::conditional_t<std::is_same_v<Partial, std::int32_t>, std::int64_t, Partial>;

/// [partial][group][row][row_length], accumulators of the matrix instruction: floats, 32-bit
/// integers or doubles. Partial sums: splits of the reduction, chunks of the batch slowest.
struct PartialSums
{
    void* base;           ///< null: the sum is not split: it is stored as C itself
    index_t row_length;   ///< elements: C's columns, rounded up to whole stores
    long_index_t group;   ///< elements between groups
    long_index_t partial; ///< elements between partial sums

    /// Output pixels that are multiplied in the time of which a partial is
    /// stored and added up, where a kernel does not say. Fitted for f16.
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
