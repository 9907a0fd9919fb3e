#pragma once
// Sums a tensor over all dimensions except channels: the gradient of a bias. Deterministic: a
// thread adds its elements in order, threads that share a channel add theirs in pairs, and a second
// launch adds the partial sums of the rows.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_description/flat_index.hpp"
#include "ck/utility/type_convert.hpp"

#include <tuple>
#include <type_traits>

namespace ck::grid {

/// In: type of the elements. Out: type of the stored sums.
template <class In, class Out>
struct GridwiseChannelSums
{
    using Acc = std::
        conditional_t<std::is_same_v<In, double> || std::is_same_v<Out, double>, double, float>;

    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        const In* in;
        Out* out;                 ///< [partial sums][channels], packed
        FlatIndex<6, 2> channels; ///< in any order: offsets in the input, and their numbers
        FlatIndex<6, 1> rows;     ///< everything else, in any order: offsets in the input
        long_index_t row_count;   ///< number of rows; may be 0
        long_index_t rows_a_partial;
        index_t partial_sums;
        index_t channel_lanes; ///< a power of two: this many neighbouring threads of a block have
                               ///< neighbouring channels

        auto addresses() const { return std::tie(in, out); }
    };
    struct SharedStorage
    {
        Acc sum[block_size];
    };

    static constexpr long_index_t tiles(const Params& p)
    {
        return (p.channels.count + p.channel_lanes - 1) / p.channel_lanes;
    }
    static constexpr long_index_t grid_size(const Params& p) { return tiles(p) * p.partial_sums; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), row_lanes = block_size / p.channel_lanes,
                      row_lane   = thread / p.channel_lanes;
        const long_index_t block = arch::block_index(), partial = block / tiles(p),
                           channel = block % tiles(p) * p.channel_lanes + thread % p.channel_lanes;
        const bool exists          = channel < p.channels.count;
        const auto at              = p.channels(exists ? channel : 0);
        const long_index_t first = partial * p.rows_a_partial, past = first + p.rows_a_partial,
                           end = past < p.row_count ? past : p.row_count;
        Acc sum{0};
        if(exists)
        {
            CK_NOT_UNROLLED
            for(long_index_t row = first + row_lane; row < end; row += row_lanes)
                sum += type_convert<Acc>(p.in[at[0] + p.rows(row)[0]]);
        }
        shared.sum[thread] = sum;
        CK_NOT_UNROLLED
        for(index_t half = row_lanes / 2; half > 0; half /= 2)
        {
            arch::block_sync();
            if(row_lane < half)
                shared.sum[thread] += shared.sum[thread + half * p.channel_lanes];
        }
        if(exists && row_lane == 0)
            p.out[partial * p.channels.count + at[1]] = type_convert<Out>(shared.sum[thread]);
    }
};

} // namespace ck::grid
