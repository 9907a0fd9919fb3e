#pragma once
// The first launch of backward. For each channel it sums dz and dz * (x - mean) over a range of
// rows; dz is dy times the derivative of the activation. Reads dy and x once. After a residual
// it also reads y to determine the derivative, and may store dz, which is the residual's
// gradient.
#include "ck/arch/kernel.hpp"
#include "ck/tensor_operation/gpu/norm/gradient.hpp"
#include "ck/tensor_operation/gpu/norm/sums.hpp"

namespace ck::norm {

template <class T, class Acc, class Tiling = norm::Tiling>
struct GradientSums
{
    static constexpr index_t block_size            = norm::block_size;
    static constexpr index_t min_blocks_per_cu     = 3;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector                = narrow_vector<T>;
    static constexpr index_t together              = sizeof(T) == 2 ? 4 : 2;

    struct Params
    {
        Tiling tiling;
        const T* x;
        Gradient<T, Acc, Tiling::has_residual> gradient;
        T* d_residual; ///< or null
        const Acc* mean;
        const Acc* inverse_deviation;
        typename Tiling::template Parameters<T, Acc> weight; ///< or null
        typename Tiling::template Parameters<T, Acc> bias;   ///< or null
        Acc* partial; ///< [matrices][ranges][2][channels], written
    };
    struct SharedStorage
    {
        BlockSums<Acc, vector> sums;
        Acc mean[most_tile], scale[most_tile], shift[most_tile];
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const Place<vector> place(p.tiling);
        const index_t thread = arch::thread_index();
        if(const long_index_t c = place.first_channel(p.tiling) + thread;
           thread < p.tiling.lanes * vector && c < p.tiling.channels)
        {
            const long_index_t statistic = p.tiling.statistic(c);
            shared.mean[thread]          = p.mean[statistic];
            shared.scale[thread] =
                p.inverse_deviation[statistic] * (p.weight == nullptr ? Acc(1) : p.weight[c]);
            shared.shift[thread] = p.bias == nullptr ? Acc(0) : p.bias[c];
        }
        arch::block_sync();
        Acc sum[2][vector]{};
        if(place.channels > 0)
        {
            if(p.tiling.vectors)
                add<true>(p, place, shared, sum);
            else
                add<false>(p, place, shared, sum);
        }
        shared.sums.store(p.tiling, place, sum, p.partial);
    }

private:
    template <bool vectors>
    CK_DEVICE CK_INLINE static void add(const Params& p,
                                        const Place<vector>& place,
                                        const SharedStorage& shared,
                                        Acc (&sum)[2][vector])
    {
        constexpr index_t at_once = vectors ? together : 1;
        const Access<T, vector, vectors> access{p.tiling.lanes, place.channels};
        Acc mean[vector], scale[vector], shift[vector];
        repeat<vector>([&](index_t e) {
            const index_t c = place.in_tile(p.tiling, e < place.channels ? e : 0);
            mean[e] = shared.mean[c], scale[e] = shared.scale[c], shift[e] = shared.shift[c];
        });
        Vector<T, vector> x[at_once], dy[at_once], y[at_once];
        for_rows<at_once>(
            p.tiling,
            place,
            false,
            [&](index_t u, long_index_t at) {
                x[u]  = access.load(p.x + at);
                dy[u] = access.load(p.gradient.dy + at);
                if(Tiling::has_residual && p.gradient.y != nullptr)
                    y[u] = access.load(p.gradient.y + at);
            },
            [&](index_t u, long_index_t at, bool exists) {
                if(!exists)
                    return;
                Acc from_mean[vector], dz[vector];
                repeat<vector>(
                    [&](index_t e) { from_mean[e] = type_convert<Acc>(x[u][e]) - mean[e]; });
                p.gradient.dz(dz, dy[u], y[u], from_mean, scale, shift);
                repeat<vector>([&](index_t e) {
                    sum[0][e] += dz[e];
                    sum[1][e] += dz[e] * from_mean[e];
                });
                if(Tiling::has_residual && p.d_residual != nullptr)
                {
                    Vector<T, vector> stored;
                    repeat<vector>([&](index_t e) { stored[e] = type_convert<T>(dz[e]); });
                    access.store(p.d_residual + at, stored);
                }
            });
    }
};

} // namespace ck::norm
