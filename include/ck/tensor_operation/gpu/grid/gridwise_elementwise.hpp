#pragma once
// An element-wise operation on tensors with any strides.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/tensor_description/flat_index.hpp"
#include "ck/utility/tuple.hpp"

#include <tuple>

namespace ck::grid {

/// Ins, Outs: Tuples of element types.
template <class Ins, class Outs, class Operation>
struct GridwiseElementwise;

template <class... In, class... Out, class Operation>
struct GridwiseElementwise<Tuple<In...>, Tuple<Out...>, Operation>
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t steps                 = 4; ///< elements of a thread
    static constexpr index_t ins                   = sizeof...(In);
    static constexpr index_t outs                  = sizeof...(Out);

    struct Params
    {
        Tuple<const In*...> in;
        Tuple<Out*...> out;
        FlatIndex<6, outs + ins> index; ///< offsets in the outputs, then in the inputs
        Operation operation;

        auto addresses() const
        {
            return [&]<index_t... i, index_t... o>(std::integer_sequence<index_t, i...>,
                                                   std::integer_sequence<index_t, o...>)
            {
                return std::tie(in[Number<i>{}]..., out[Number<o>{}]...);
            }
            (std::make_integer_sequence<index_t, ins>{},
             std::make_integer_sequence<index_t, outs>{});
        }
    };
    struct SharedStorage
    {};

    static constexpr long_index_t grid_size(const Params& p)
    {
        return p.index.count / (block_size * steps) +
               (p.index.count % (block_size * steps) != 0 ? 1 : 0);
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const long_index_t first =
            long_index_t{arch::block_index()} * (block_size * steps) + arch::thread_index();
        CK_NOT_UNROLLED
        for(index_t step = 0; step < steps; ++step)
        {
            const long_index_t number = first + step * block_size;
            if(number >= p.index.count)
                return;
            apply(p,
                  p.index(number),
                  std::make_integer_sequence<index_t, outs>{},
                  std::make_integer_sequence<index_t, ins>{});
        }
    }

private:
    template <index_t... o, index_t... i>
    CK_DEVICE CK_INLINE static void apply(const Params& p,
                                          const Vector<long_index_t, outs + ins>& at,
                                          std::integer_sequence<index_t, o...>,
                                          std::integer_sequence<index_t, i...>)
    {
        Tuple<Out...> results;
        p.operation(results.At(Number<o>{})..., p.in.At(Number<i>{})[at[outs + i]]...);
        ((p.out.At(Number<o>{})[at[o]] = results.At(Number<o>{})), ...);
    }
};

} // namespace ck::grid
