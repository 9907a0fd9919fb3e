// Vector operations made of a function of one lane.
#pragma once

#include "lanes.hpp"
#include <tuple>
#include <utility>

namespace emu {
template <int W, class F, class D, class... S>
struct VectorOperation
{
    template <size_t... Is>
    static inline void go(Wave& w, const Instruction& inst, std::index_sequence<Is...>)
    {
        std::tuple<Lanes<S, W>...> t;
        (fetch<W, S>(w, inst, (int)Is, std::get<Is>(t).a), ...);
        Lanes<D, W> d;
        for(int l = 0; l < W; l++)
            d.a[l] = (D)F{}(std::get<Is>(t).a[l]...);
        store<W, D>(w, inst, d.a);
    }
    static void run(Wave& w, const Instruction& inst)
    {
        go(w, inst, std::index_sequence_for<S...>{});
    }
};
template <class D, class... S, class F>
void vector_op(const char* n, F)
{
    add(n, 1, &VectorOperation<32, F, D, S...>::run, &VectorOperation<64, F, D, S...>::run);
}
// destination is also the last source (v_fmac, v_dot2c ...)
template <class D, class... S, class F>
void vector_op_accumulating(const char* n, F)
{
    add(n, 1, &VectorOperation<32, F, D, S...>::run, &VectorOperation<64, F, D, S...>::run, true);
}
} // namespace emu
