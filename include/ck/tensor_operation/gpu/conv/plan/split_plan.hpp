#pragma once
// The number of partial sums for the tiles of a launch; see grid/split_tiles.hpp.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/utility/integer.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

struct SplitPlan
{
    index_t partial_sums      = 1; ///< for each tile, except the last tiles
    index_t last_tiles        = 0;
    index_t last_partial_sums = 1;    ///< for each of the last tiles
    bool whole                = true; ///< tiles with one partial sum are stored as C itself

    bool operator==(const SplitPlan&) const = default;

    /// Whether any partial sums are stored and need to be added up.
    bool has_partial_sums() const { return !whole || partial_sums > 1 || last_tiles > 0; }
};

/// Returns the launch shape for the model when sums are split: `tiles` tiles on clusters of
/// `cluster` workgroups, with `slices` slices per sum.
inline LaunchShape
split(LaunchShape shape, const SplitPlan& plan, index_t slices, index_t tiles, index_t cluster)
{
    const index_t first = tiles - plan.last_tiles;
    shape.tiles         = double{1} * first * plan.partial_sums * cluster;
    shape.slices        = math::integer_divide_ceil(slices, plan.partial_sums);
    shape.last_tiles    = double{1} * plan.last_tiles * plan.last_partial_sums * cluster;
    shape.last_slices   = math::integer_divide_ceil(slices, plan.last_partial_sums);
    return shape;
}

/// A launch whose sums may be split.
struct SplitShape
{
    static constexpr long_index_t most_tiles = long_index_t{1} << 40; ///< launches have fewer

    long_index_t tiles, slices;  ///< slices of each tile's sum
    long_index_t places;         ///< workgroups that run at a time
    long_index_t partial_slices; ///< slices computed in the time to store and add one partial sum
    bool whole;                  ///< tiles with one partial sum are stored as C, at no extra cost

    /// Returns the number of rounds when each tile is split into `partial_sums` partial sums.
    long_index_t rounds(long_index_t partial_sums) const
    {
        return math::saturating_product(tiles, partial_sums) / places +
               (math::saturating_product(tiles, partial_sums) % places != 0);
    }
    /// Returns the length of a round, in slices, when each workgroup computes one of `partial_sums`
    /// partial sums.
    long_index_t round(long_index_t partial_sums) const
    {
        return math::integer_divide_ceil(slices, partial_sums) +
               (partial_sums > 1 || !whole ? partial_slices : 0);
    }
    /// A lower bound of the time of a launch with `partial_sums` (at least two) or more: the
    /// workgroups share the slices of all tiles, and each adds up one partial sum.
    long_index_t least_time(long_index_t partial_sums) const
    {
        return math::saturating_product(
                   tiles,
                   math::saturating_sum(slices,
                                        math::saturating_product(partial_sums, partial_slices))) /
               places;
    }
};

/// The number of partial sums, equal for all tiles, with the shortest predicted launch.
inline SplitPlan plan_equal_partial_sums(const SplitShape& s)
{
    const long_index_t most = std::min(s.slices, 8 * s.places);
    SplitPlan best;
    best.whole         = s.whole;
    long_index_t least = 0;
    for(long_index_t partial_sums = 1; partial_sums == 1 || partial_sums <= most;)
    {
        if(const long_index_t time =
               math::saturating_product(s.rounds(partial_sums), s.round(partial_sums));
           partial_sums == 1 || time < least)
        {
            best.partial_sums = static_cast<index_t>(partial_sums);
            least             = time;
        }
        // Skip to the fewest partial sums that are shorter: more of the same length cannot be
        // faster.
        const long_index_t length = math::integer_divide_ceil(s.slices, partial_sums);
        if(length <= 1 || s.least_time(partial_sums + 1) >= least)
            break;
        partial_sums = math::integer_divide_ceil(s.slices, length - 1);
    }
    return best;
}

/// The same, but the last tiles may have more partial sums if the others fill whole rounds.
inline SplitPlan plan_split(const SplitShape& s)
{
    constexpr long_index_t most_partial_sums = 64; // of the first tiles
    SplitPlan best                           = plan_equal_partial_sums(s);
    long_index_t least =
        math::saturating_product(s.rounds(best.partial_sums), s.round(best.partial_sums));
    for(long_index_t partial_sums = 1; partial_sums <= std::min(s.slices, most_partial_sums);
        ++partial_sums)
    {
        // the fewest rounds that leave at most one tile per place in the last round
        long_index_t rounds = std::max<long_index_t>(
            1, math::integer_divide_ceil((s.tiles - s.places) * partial_sums, s.places));
        const long_index_t round = s.round(partial_sums);
        for(; rounds * s.places / partial_sums < s.tiles; ++rounds)
        {
            if(math::saturating_product(rounds, round) >= least)
                break; // more rounds take longer
            const long_index_t last = s.tiles - rounds * s.places / partial_sums;
            if(last == s.tiles || last > s.places)
                continue;
            const long_index_t last_partial_sums = std::min(s.slices, s.places / last),
                               time = math::saturating_sum(math::saturating_product(rounds, round),
                                                           s.round(last_partial_sums));
            if(time < least)
            {
                best  = {static_cast<index_t>(partial_sums),
                         static_cast<index_t>(last),
                         static_cast<index_t>(last_partial_sums),
                         s.whole};
                least = time;
            }
        }
    }
    return best;
}

} // namespace ck::tensor_operation::device
