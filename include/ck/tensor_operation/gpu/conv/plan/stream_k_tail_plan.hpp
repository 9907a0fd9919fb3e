#pragma once
// How a launch ends if its tiles do not fill the last round of workgroups; see
// conv/kernels/tensor_map/stream_k_tail.hpp.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

struct StreamKTailPlan
{
    index_t rows         = 0; ///< last rows of tiles whose sums are computed in partial sums
    index_t partial_sums = 1; ///< per tile in these rows

    explicit operator bool() const { return rows > 0; }
};

/// Returns the launch shape for the model, with `tiles_of_row` workgroups per row of tiles and the
/// planned end.
inline LaunchShape
ended(const GemmTuning& t, LaunchShape shape, const StreamKTailPlan& plan, index_t tiles_of_row)
{
    if(!plan)
        return shape;
    constexpr double sum_cycles = 8000; // to add up partial sums, in addition to memory traffic
    const double tiles          = double{1} * plan.rows * tiles_of_row;
    shape.tiles -= tiles;
    shape.last_tiles  = tiles * plan.partial_sums;
    shape.last_slices = std::ceil(shape.slices / plan.partial_sums);
    shape.more_cycles = sum_cycles;
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

/// Plans the end with the shortest predicted time: all tiles whole, or the rows of tiles after the
/// last full round split into at most 64 partial sums, which a later launch adds up.
inline StreamKTailPlan plan_stream_k_tail(const GemmTuning& t,
                                          const LaunchShape& shape,
                                          index_t tiles_of_row,
                                          index_t compute_units)
{
    constexpr index_t most_partial_sums = 64;
    const auto places                   = compute_units * t.min_blocks_per_cu;
    const auto tiles                    = static_cast<index_t>(shape.tiles);
    StreamKTailPlan best, plan;
    plan.rows = tiles / tiles_of_row - full_rows(t, shape.tiles, tiles_of_row, compute_units);
    if(tiles % places == 0)
        return best;
    double least = 0.97 * predicted_time(t, shape, compute_units);
    // Whether more partial sums of the same length may be faster: the more workgroups there are,
    // the less they wait for each other.
    const bool grows  = !shape.by_pixels && !loads_to_registers(t);
    const auto slices = static_cast<index_t>(shape.slices);
    double length     = 0; // of a partial sum, in slices
    for(plan.partial_sums = 2; plan.partial_sums <= math::min(slices, most_partial_sums);
        ++plan.partial_sums)
    {
        const LaunchShape partly = ended(t, shape, plan, tiles_of_row);
        if(grows && partly.last_slices == length)
            continue;
        length = partly.last_slices;
        if(const double time = predicted_time(t, partly, compute_units); time < least)
        {
            best  = plan;
            least = time;
        }
    }
    return best;
}

} // namespace ck::tensor_operation::device
