#pragma once
// The last launch of backward: dx = scale * dz + slope * (x - mean) + constant. Reads dy (or dz,
// where the first launch has stored it) and x once and writes dx once.
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/norm/gradient.hpp"
#include "ck/tensor_operation/gpu/norm/tiling.hpp"

namespace ck::norm {

template <class T, class Acc, class Tiling = norm::Tiling>
struct GradientApply
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
        T* dx;
        const Acc* mean;
        typename Tiling::template Parameters<T, Acc> bias; ///< or null
        const Acc* scale;
        const Acc* slope;
        const Acc* constant;
    };
    struct SharedStorage
    {
        Acc mean[most_tile], shift[most_tile], scale[most_tile], slope[most_tile],
            constant[most_tile];
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
            shared.shift[thread]         = p.bias == nullptr ? Acc(0) : p.bias[c];
            shared.scale[thread]         = p.scale[p.tiling.in_matrix(c)];
            shared.slope[thread]         = p.slope[statistic];
            shared.constant[thread]      = p.constant[statistic];
        }
        arch::block_sync();
        if(place.channels == 0)
            return;
        if(p.tiling.vectors)
            store<true>(p, place, shared);
        else
            store<false>(p, place, shared);
    }

private:
    template <bool vectors>
    CK_DEVICE CK_INLINE static void
    store(const Params& p, const Place<vector>& place, const SharedStorage& shared)
    {
        constexpr index_t at_once = vectors ? together : 1;
        const Access<T, vector, vectors> access{p.tiling.lanes, place.channels};
        Acc mean[vector], shift[vector], scale[vector], slope[vector], constant[vector];
        repeat<vector>([&](index_t e) {
            const index_t c = place.in_tile(p.tiling, e < place.channels ? e : 0);
            mean[e] = shared.mean[c], shift[e] = shared.shift[c], scale[e] = shared.scale[c];
            slope[e] = shared.slope[c], constant[e] = shared.constant[c];
        });
        Vector<T, vector> x[at_once], dy[at_once], y[at_once];
        for_rows<at_once>(
            p.tiling,
            place,
            true,
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
                Vector<T, vector> dx;
                repeat<vector>([&](index_t e) {
                    dx[e] =
                        type_convert<T>(scale[e] * dz[e] + (slope[e] * from_mean[e] + constant[e]));
                });
                access.store(p.dx + at, dx);
            });
    }
};

} // namespace ck::norm
