#pragma once
// The second launch of forward and backward: turns the sums of the ranges into the third launch's
// factors. Takes a few microseconds: many threads add the sums of a statistic, in f64.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"

namespace ck::norm {

/// Work says what the terms of a statistic's two sums are, and what becomes of these: Work::Params
/// with the number of `statistics`, Work::add(params, statistic, first term, step, sums) and
/// Work::finish(params, statistic, first sum, second sum). With Work::all_threads_finish, all
/// threads of a statistic call finish(params, statistic, thread, number of threads, sums).
template <class Work>
struct Combine
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        index_t lanes; ///< statistics of a block: a power of two, at most 32
        typename Work::Params work;
    };
    struct SharedStorage
    {
        double sum[2][block_size];
    };

    static constexpr bool starts_early(const Params&) { return true; }

    /// Each thread adds about four terms.
    static constexpr index_t lanes(index_t terms)
    {
        index_t lanes = 32;
        while(lanes > 1 && block_size / lanes * 4 < terms)
            lanes /= 2;
        return lanes;
    }
    static constexpr index_t grid_size(const Params& p)
    {
        return static_cast<index_t>((p.work.statistics + p.lanes - 1) / p.lanes);
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        run(p, shared, arch::block_index());
    }
    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared, index_t block)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const index_t thread = arch::thread_index(), row_lanes = block_size / p.lanes,
                      row_lane       = thread / p.lanes;
        const long_index_t statistic = long_index_t{block} * p.lanes + thread % p.lanes;
        const bool exists            = statistic < p.work.statistics;
        double sum[2]{};
        if(exists)
            Work::add(p.work, statistic, row_lane, row_lanes, sum);
        shared.sum[0][thread] = sum[0];
        shared.sum[1][thread] = sum[1];
        CK_NOT_UNROLLED
        for(index_t half = row_lanes / 2; half > 0; half /= 2)
        {
            arch::block_sync();
            if(row_lane < half)
            {
                shared.sum[0][thread] += shared.sum[0][thread + half * p.lanes];
                shared.sum[1][thread] += shared.sum[1][thread + half * p.lanes];
            }
        }
        if constexpr(requires { Work::all_threads_finish; })
        {
            arch::block_sync();
            const index_t first = thread % p.lanes;
            if(exists)
                Work::finish(p.work,
                             statistic,
                             row_lane,
                             row_lanes,
                             shared.sum[0][first],
                             shared.sum[1][first]);
        }
        else if(exists && row_lane == 0)
            Work::finish(p.work, statistic, shared.sum[0][thread], shared.sum[1][thread]);
    }
};

} // namespace ck::norm
