#pragma once
// A reduction over some dimensions of a tensor. Deterministic: a thread folds its elements in
// order, and threads that share a result fold theirs in pairs.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_description/flat_index.hpp"
#include "ck/utility/reduction_operator.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// sharers: threads per result, a power of two, out of a block's 256.
template <class In,
          class Acc,
          class Out,
          class ReduceOperation,
          class InOperation,
          class AccOperation,
          bool propagate_nan,
          index_t sharers>
struct GridwiseReduce
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t results               = block_size / sharers; ///< results of a block
    static_assert(results * sharers == block_size && (sharers & (sharers - 1)) == 0);

    struct Params
    {
        const In* in;
        Out* out;
        FlatIndex<6, 2> kept;    ///< offsets in the input and in the output
        FlatIndex<6, 1> reduced; ///< in the input
        Acc alpha, beta;
        InOperation in_operation;
        AccOperation acc_operation;
    };
    struct SharedStorage
    {
        Acc part[block_size];
    };

    static constexpr long_index_t grid_size(const Params& p)
    {
        return p.kept.count / results + (p.kept.count % results != 0 ? 1 : 0);
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), sharer = thread % sharers;
        const long_index_t number = long_index_t{arch::block_index()} * results + thread / sharers;
        const bool exists         = number < p.kept.count;
        const auto at             = p.kept(exists ? number : 0);
        Acc result                = ReduceOperation::template GetIdentityValue<Acc>();
        if(exists)
        {
            CK_NOT_UNROLLED
            for(long_index_t i = sharer; i < p.reduced.count; i += sharers)
            {
                Acc x{};
                p.in_operation(x, type_convert<Acc>(p.in[at[0] + p.reduced(i)[0]]));
                reduce::accumulate<propagate_nan>(ReduceOperation{}, result, x);
            }
        }
        if constexpr(sharers > 1)
        {
            shared.part[thread] = result;
            CK_NOT_UNROLLED
            for(index_t half = sharers / 2; half > 0; half /= 2)
            {
                arch::block_sync();
                if(sharer < half)
                    reduce::accumulate<propagate_nan>(
                        ReduceOperation{}, shared.part[thread], Acc{shared.part[thread + half]});
            }
            result = shared.part[thread];
        }
        if(!exists || sharer != 0)
            return;
        Acc y{};
        p.acc_operation(y, result);
        y = p.alpha * y;
        if(p.beta != Acc{0})
            y += p.beta * type_convert<Acc>(p.out[at[1]]);
        p.out[at[1]] = type_convert<Out>(y);
    }
};

} // namespace ck::grid
