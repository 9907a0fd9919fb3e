#pragma once
// The planner of partial sums: into how many of them the sum of each tile is split, for every
// family. A family says how many there may be and how long a launch with them takes.
#include "ck/tensor_operation/gpu/conv/model/weight_time.hpp"
#include "ck/utility/integer.hpp"

#include <algorithm>
#include <cmath>

namespace ck::tensor_operation::device {

/// With a stream-K tail, the first tiles are whole. With split-K, all tiles have partial sums, and
/// the last tiles another number of them. grid/split_tiles.hpp and grid/partial_sums.hpp say where
/// they are stored.
struct SplitPlan
{
    index_t partial_sums      = 1; ///< for each tile, except the last tiles
    index_t last_tiles        = 0;
    index_t last_partial_sums = 1;    ///< for each of the last tiles
    bool whole                = true; ///< tiles with one partial sum are stored as C itself

    bool operator==(const SplitPlan&) const = default;

    /// Whether any partial sums are stored and need to be added up.
    bool has_partial_sums() const { return !whole || partial_sums > 1 || last_tiles > 0; }
    /// The most partial sums of a tile.
    index_t most_partial_sums() const
    {
        return last_tiles > 0 ? std::max(partial_sums, last_partial_sums) : partial_sums;
    }
};

/// Keeps the fastest of the plans that it is offered; the first of several.
template <class Time>
class FastestSplit
{
public:
    FastestSplit(const SplitPlan& plan, Time time) : plan_(plan), time_(time) {}

    void offer(const SplitPlan& plan, Time time)
    {
        if(time < time_)
        {
            plan_ = plan;
            time_ = time;
        }
    }
    const SplitPlan& plan() const { return plan_; }
    Time time() const { return time_; }

private:
    SplitPlan plan_;
    Time time_;
};

/// Launches whose partial sums are computed in one, two or more rounds of workgroups.
struct SplitRounds
{
    double blocks; ///< workgroups of one partial sum of all tiles
    double places; ///< workgroups of a round
    double most;   ///< the most partial sums
    int rounds;    ///< the most rounds
    bool whole;    ///< see SplitPlan
};

/// Finds the number of partial sums that fills one or more rounds and makes the launch shortest.
/// time(n) predicts the time of a launch that computes n partial sums.
template <class Time>
FastestSplit<double> plan_rounds(const SplitRounds& s, const Time& time)
{
    const auto filling = [&](int rounds) {
        SplitPlan plan;
        plan.whole = s.whole;
        plan.partial_sums =
            static_cast<index_t>(std::clamp(std::floor(rounds * s.places / s.blocks), 1., s.most));
        return plan;
    };
    SplitPlan last = filling(1);
    FastestSplit<double> best(last, time(last.partial_sums));
    for(int rounds = 2; rounds <= s.rounds; ++rounds)
        if(const SplitPlan plan = filling(rounds); plan != last)
        {
            best.offer(plan, time(plan.partial_sums));
            last = plan;
        }
    return best;
}

/// A launch in which every slice takes the same time.
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
    /// Returns the time of a launch, in slices.
    long_index_t time(long_index_t partial_sums) const
    {
        return math::saturating_product(rounds(partial_sums), round(partial_sums));
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
    /// A lower bound of the time, unless it is at least `below`, if the first tiles have
    /// `partial_sums` (2 to 64) or more, and the last tiles, in a round of their own, another
    /// number. The workgroups share all slices, and each adds up a partial sum in every round. Only
    /// if the last tiles are whole is there none in the last round, which then has all slices of a
    /// tile.
    long_index_t least_time_of_rounds(long_index_t partial_sums, long_index_t below) const
    {
        const long_index_t rounds =
            std::max(long_index_t{1}, (tiles - places) * partial_sums / places) +
            (slices >= below ? 1 : 0);
        return math::saturating_sum(math::saturating_product(tiles, slices) / places,
                                    math::saturating_product(rounds, partial_slices));
    }
    SplitPlan plan(long_index_t partial_sums) const
    {
        SplitPlan r;
        r.partial_sums = static_cast<index_t>(partial_sums);
        r.whole        = whole;
        return r;
    }
};

/// Returns how many of `partial_sums` partial sums of equal length have slices; at least 1.
inline index_t count_with_slices(long_index_t slices, index_t partial_sums)
{
    return slices == 0
               ? 1
               : static_cast<index_t>(math::integer_divide_ceil(
                     slices, math::integer_divide_ceil(slices, long_index_t{partial_sums})));
}

namespace detail {

/// The fewest partial sums that are shorter than `length` slices, which is at least 2.
inline long_index_t next_shorter(long_index_t slices, long_index_t length)
{
    return math::integer_divide_ceil(slices, length - 1);
}

inline FastestSplit<long_index_t> fastest_equal_partial_sums(const SplitShape& s)
{
    const long_index_t most = std::min(s.slices, 8 * s.places);
    FastestSplit<long_index_t> best(s.plan(1), s.time(1));
    for(long_index_t partial_sums = 2;
        partial_sums <= most && s.least_time(partial_sums) < best.time();)
    {
        // The largest number that needs no more rounds has the shortest partial sums. Then take the
        // smallest number with partial sums of that length.
        const long_index_t of_rounds = std::min(most, s.rounds(partial_sums) * s.places / s.tiles),
                           length    = math::integer_divide_ceil(s.slices, of_rounds);
        partial_sums                 = math::integer_divide_ceil(s.slices, length);
        best.offer(s.plan(partial_sums), s.time(partial_sums));
        if(length == 1)
            break;
        partial_sums = next_shorter(s.slices, length);
    }
    return best;
}

} // namespace detail

/// The number of partial sums, equal for all tiles, with the shortest predicted launch.
inline SplitPlan plan_equal_partial_sums(const SplitShape& s)
{
    return detail::fastest_equal_partial_sums(s).plan();
}

/// The same, but the last tiles may have more partial sums if the others fill whole rounds.
inline SplitPlan plan_split(const SplitShape& s)
{
    constexpr long_index_t most_partial_sums = 64; // the most for each of the first tiles
    auto best                                = detail::fastest_equal_partial_sums(s);
    for(long_index_t partial_sums = 1; partial_sums <= std::min(s.slices, most_partial_sums);)
    {
        if(partial_sums > 1 && s.least_time_of_rounds(partial_sums, best.time()) >= best.time())
            break;
        // the fewest rounds that leave at most one tile per place in the last round
        long_index_t rounds = std::max<long_index_t>(
            1, math::integer_divide_ceil((s.tiles - s.places) * partial_sums, s.places));
        const long_index_t round = s.round(partial_sums);
        for(; rounds * s.places / partial_sums < s.tiles; ++rounds)
        {
            if(math::saturating_product(rounds, round) >= best.time())
                break; // more rounds take longer
            const long_index_t last = s.tiles - rounds * s.places / partial_sums;
            if(last == s.tiles || last > s.places)
                continue;
            const long_index_t last_partial_sums = std::min(s.slices, s.places / last);
            best.offer({static_cast<index_t>(partial_sums),
                        static_cast<index_t>(last),
                        static_cast<index_t>(last_partial_sums),
                        s.whole},
                       math::saturating_sum(math::saturating_product(rounds, round),
                                            s.round(last_partial_sums)));
        }
        // More partial sums of the same length leave more tiles to the last round.
        const long_index_t length = math::integer_divide_ceil(s.slices, partial_sums);
        if(length == 1)
            break;
        partial_sums = detail::next_shorter(s.slices, length);
    }
    return best.plan();
}

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

/// Returns the launch shape for the model of backward weight by MFMA or WMMA when sums are split.
/// launch: with the bytes of tensors and LDS; partial_bytes: of one partial sum of every tile.
inline LaunchShape
split_weight(const SplitShape& s, const SplitPlan& plan, LaunchShape launch, double partial_bytes)
{
    const long_index_t partial_sums = plan.partial_sums;
    launch.tiles                    = static_cast<double>(s.tiles) * plan.partial_sums;
    launch.slices     = static_cast<double>(math::integer_divide_ceil(s.slices, partial_sums));
    launch.more_bytes = plan.has_partial_sums() ? 2. * plan.partial_sums * partial_bytes : 0;
    return launch;
}

/// Returns the number of partial sums for `of_unit` workgroups per compute unit; for one, those
/// that fill the device, as on other engines. s.places: compute units.
inline SplitPlan split_for_unit(const SplitShape& s, index_t of_unit)
{
    if(of_unit == 1)
        return plan_equal_partial_sums(s);
    const long_index_t places = of_unit * s.places / std::max(s.tiles, long_index_t{1});
    return s.plan(std::clamp(places, long_index_t{1}, std::max(s.slices, long_index_t{1})));
}

/// The partial sums of backward weight by MFMA or WMMA with the shortest predicted launch, for one
/// or several workgroups per compute unit: several hide each other's latency but leave more to add
/// up. launch and partial_bytes: as above.
inline SplitPlan plan_weight_split(const GemmTuning& t,
                                   const SplitShape& s,
                                   const LaunchShape& launch,
                                   double partial_bytes,
                                   arch::Target target)
{
    const auto time = [&](const SplitPlan& plan) {
        return predicted_weight_time(t,
                                     split_weight(s, plan, launch, partial_bytes),
                                     static_cast<index_t>(s.places),
                                     target);
    };
    const SplitPlan one = split_for_unit(s, 1);
    FastestSplit<double> best(one, time(one));
    for(const index_t of_unit : weight_times(t, target).workgroups)
        if(of_unit > 1)
        {
            const SplitPlan plan = split_for_unit(s, of_unit);
            best.offer(plan, time(plan));
        }
    return best.plan();
}

/// Clock cycles to add up the partial sums of a stream-K tail, in addition to memory traffic.
inline constexpr double stream_k_sum_cycles = 8000;

/// Returns the slices of a partial sum of a stream-K tail.
inline double slices_of_last(const LaunchShape& shape, const SplitPlan& plan)
{
    return std::ceil(shape.slices / plan.last_partial_sums);
}

/// Returns the launch shape for the model if the last tiles are a stream-K tail.
inline LaunchShape ended(const GemmTuning& t, LaunchShape shape, const SplitPlan& plan)
{
    if(plan.last_tiles == 0)
        return shape;
    const double tiles = double{1} * plan.last_tiles * t.maps.cluster;
    shape.tiles -= tiles;
    shape.last_tiles  = tiles * plan.last_partial_sums;
    shape.last_slices = slices_of_last(shape, plan);
    shape.more_cycles = stream_k_sum_cycles;
    shape.more_bytes += 2 * sizeof(float) * shape.last_tiles * t.block_tile.m * t.block_tile.n;
    shape.longest_share = shape.whole_share;
    return shape;
}

/// Rows of tiles in the full rounds of a launch.
inline index_t
full_rows(const GemmTuning& t, double tiles, index_t tiles_of_row, index_t compute_units)
{
    const index_t places = compute_units * t.min_blocks_per_cu;
    return static_cast<index_t>(tiles) / places * places / tiles_of_row;
}

/// Plans the stream-K tail with the shortest predicted time: all tiles whole, or the rows of tiles
/// after the last full round split into at most 64 partial sums, which a later launch adds up.
/// tiles_of_row: workgroups.
inline SplitPlan plan_stream_k_tail(const GemmTuning& t,
                                    const LaunchShape& shape,
                                    index_t tiles_of_row,
                                    index_t compute_units)
{
    constexpr index_t most_partial_sums = 64;
    const auto places                   = compute_units * t.min_blocks_per_cu;
    const auto tiles                    = static_cast<index_t>(shape.tiles);
    if(tiles % places == 0)
        return {};
    SplitPlan plan;
    plan.last_tiles =
        (tiles / tiles_of_row - full_rows(t, shape.tiles, tiles_of_row, compute_units)) *
        tiles_of_row / t.maps.cluster;
    const LaunchModel model(t, shape.by_pixels, shape.transposed, compute_units);
    FastestSplit<double> best({}, 0.97 * model.time(shape));
    plan.last_partial_sums   = 2;
    LaunchShape without_last = ended(t, shape, plan);
    without_last.last_tiles  = 0;
    if(model.time(without_last) >= best.time())
        return {};
    // Whether more partial sums of the same length may be faster: the more workgroups there are,
    // the less they wait for each other.
    const bool grows  = !shape.by_pixels && !loads_to_registers(t);
    const auto slices = static_cast<index_t>(shape.slices);
    double length     = 0; // slices of a partial sum
    for(plan.last_partial_sums = 2; plan.last_partial_sums <= math::min(slices, most_partial_sums);
        ++plan.last_partial_sums)
    {
        const double shorter = slices_of_last(shape, plan);
        if(grows && shorter == length)
            continue;
        length = shorter;
        best.offer(plan, model.time(ended(t, shape, plan)));
    }
    return best.plan();
}

} // namespace ck::tensor_operation::device
