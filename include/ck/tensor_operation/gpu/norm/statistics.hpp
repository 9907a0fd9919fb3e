#pragma once
// The first launch of forward: sums x - pivot and its square for each channel over a range of rows.
// The pivot is the first value of the channel, or of the group of channels that share a mean, so
// that a mean much larger than the deviation loses no precision. Reads x once.
#include "ck/arch/kernel.hpp"
#include "ck/tensor_operation/gpu/norm/sums.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::norm {

template <class T, class Acc, class Tiling = norm::Tiling>
struct Statistics
{
    static constexpr index_t block_size            = norm::block_size;
    static constexpr index_t min_blocks_per_cu     = 4;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector                = wide_vector<T>;
    static constexpr index_t together              = 4;

    struct Params
    {
        Tiling tiling;
        const T* x;
        Acc* pivot;   ///< [channels], written; not used of groups
        Acc* partial; ///< [matrices][ranges][2][channels], written
    };
    using SharedStorage = BlockSums<Acc, vector>;

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const Place<vector> place(p.tiling);
        Acc sum[2][vector]{};
        if(place.channels > 0)
        {
            if(p.tiling.vectors)
                add<true>(p, place, sum);
            else
                add<false>(p, place, sum);
        }
        shared.store(p.tiling, place, sum, p.partial);
    }

private:
    template <bool vectors>
    CK_DEVICE CK_INLINE static void
    add(const Params& p, const Place<vector>& place, Acc (&sum)[2][vector])
    {
        constexpr index_t at_once = vectors ? together : 1;
        const Access<T, vector, vectors> access{p.tiling.lanes, place.channels};
        Acc pivot[vector];
        if constexpr(Tiling::has_groups)
            repeat<vector>([&](index_t e) {
                const index_t in_tile = place.in_tile(p.tiling, e < place.channels ? e : 0);
                pivot[e]              = type_convert<Acc>(
                    p.x[p.tiling.first_value(place.first_channel(p.tiling) + in_tile)]);
            });
        else
        {
            const auto first = access.load(p.x + place.at - place.first_row * p.tiling.channels);
            repeat<vector>([&](index_t e) { pivot[e] = type_convert<Acc>(first[e]); });
            if(place.range == 0 && place.row_lane == 0)
                repeat<vector>([&](index_t e) {
                    if(e < place.channels)
                        p.pivot[place.first_channel(p.tiling) + place.in_tile(p.tiling, e)] =
                            pivot[e];
                });
        }
        Vector<T, vector> x[at_once];
        for_rows<at_once>(
            p.tiling,
            place,
            false,
            [&](index_t u, long_index_t at) { x[u] = access.load(p.x + at); },
            [&](index_t u, long_index_t, bool exists) { // not a branch, to which a load would move
                repeat<vector>([&](index_t e) {
                    const Acc d = exists ? type_convert<Acc>(x[u][e]) - pivot[e] : Acc(0);
                    sum[0][e] += d;
                    sum[1][e] += d * d;
                });
            });
    }
};

} // namespace ck::norm
