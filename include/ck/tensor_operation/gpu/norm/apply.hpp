#pragma once
// The last launch of forward, and the only one of batch norm's inference: y = activation((x - mean)
// * scale + shift (+ residual)). Reads x (and the residual) once and writes y once.
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/norm/activation.hpp"
#include "ck/tensor_operation/gpu/norm/tiling.hpp"
#include "ck/utility/type_convert.hpp"

#include <cmath>

namespace ck::norm {

template <class T, class Acc, class Tiling = norm::Tiling>
struct Apply
{
    static constexpr index_t block_size            = norm::block_size;
    static constexpr index_t min_blocks_per_cu     = 4;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector                = narrow_vector<T>;
    static constexpr index_t together              = sizeof(T) == 2 ? 4 : 2;

    struct Params
    {
        Tiling tiling;
        const T* x;
        const T* residual; ///< may be null
        T* y;
        const Acc* mean;
        const Acc* scale;    ///< inference: weight, or null
        const Acc* shift;    ///< inference: bias, or null
        const Acc* variance; ///< inference: scale = weight / sqrt(variance + epsilon); else null
        Acc epsilon;
        Activation<Acc> activation;
    };
    struct SharedStorage
    {
        Acc mean[most_tile], scale[most_tile], shift[most_tile];
    };

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        arch::wait_for_previous_kernel();
        const Place<vector> place(p.tiling);
        // A block reads its channels' parameters once, unaligned; threads then read them from LDS.
        const index_t thread = arch::thread_index();
        if(const long_index_t c = place.first_channel(p.tiling) + thread;
           thread < p.tiling.lanes * vector && c < p.tiling.channels)
        {
            const long_index_t of_matrix = p.tiling.in_matrix(c);
            Acc scale                    = p.scale == nullptr ? Acc(1) : p.scale[of_matrix];
            if(p.variance != nullptr)
                scale /= std::sqrt(p.variance[c] + p.epsilon);
            shared.mean[thread]  = p.mean[p.tiling.statistic(c)];
            shared.scale[thread] = scale;
            shared.shift[thread] = p.shift == nullptr ? Acc(0) : p.shift[of_matrix];
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
        Acc mean[vector], scale[vector], shift[vector];
        repeat<vector>([&](index_t e) {
            const index_t c = place.in_tile(p.tiling, e < place.channels ? e : 0);
            mean[e] = shared.mean[c], scale[e] = shared.scale[c], shift[e] = shared.shift[c];
        });
        Vector<T, vector> x[at_once], residual[at_once];
        for_rows<at_once>(
            p.tiling,
            place,
            true,
            [&](index_t u, long_index_t at, long_index_t row) {
                x[u] = access.load(p.x + p.tiling.in_x(at, row));
                if(Tiling::has_residual && p.residual != nullptr)
                    residual[u] = access.load(p.residual + at);
            },
            [&](index_t u, long_index_t at, bool exists) {
                if(!exists)
                    return;
                Acc z[vector];
                repeat<vector>([&](index_t e) {
                    z[e] = (type_convert<Acc>(x[u][e]) - mean[e]) * scale[e] + shift[e];
                });
                if(Tiling::has_residual && p.residual != nullptr)
                    repeat<vector>([&](index_t e) { z[e] += type_convert<Acc>(residual[u][e]); });
                p.activation.apply(z);
                Vector<T, vector> y;
                repeat<vector>([&](index_t e) { y[e] = type_convert<T>(z[e]); });
                access.store(p.y + at, y);
            });
    }
};

} // namespace ck::norm
