#pragma once
// The activation of batch norm and its derivative, chosen by a branch that all threads take alike.
#include "ck/tensor_operation/gpu/element/formula.hpp"
#include "ck/utility/number.hpp"

#include <cstdint>

namespace ck::batch_norm {

/// clamp is relu with the limits 0 and NaN, than which nothing is larger, nor as large.
enum class Function : std::int32_t
{
    none,
    clamp,
    silu,
    hard_swish
};

template <class Acc>
struct Activation
{
    Function function;
    Acc least, most; ///< of clamp

    /// z becomes the function of z; NaN stays NaN.
    template <index_t vector>
    CK_DEVICE CK_INLINE void apply(Acc (&z)[vector]) const
    {
        using namespace tensor_operation::element_wise::detail;
        switch(function)
        {
        case Function::none:
            break;
        case Function::clamp:
            repeat<vector>([&](index_t e) { z[e] = clamp(z[e], least, most); });
            break;
        case Function::silu:
            repeat<vector>([&](index_t e) { z[e] = gated(z[e], sigmoid(z[e])); });
            break;
        case Function::hard_swish:
            repeat<vector>([&](index_t e) {
                z[e] = gated(z[e], clamp(z[e] + Acc(3), Acc(0), Acc(6)) * Acc(1. / 6));
            });
            break;
        }
    }

    /// d becomes d times the derivative at z, at the ends of a piece as PyTorch has it.
    template <index_t vector>
    CK_DEVICE CK_INLINE void backward(Acc (&d)[vector], const Acc (&z)[vector]) const
    {
        using namespace tensor_operation::element_wise::detail;
        switch(function)
        {
        case Function::none:
            break;
        case Function::clamp:
            repeat<vector>(
                [&](index_t e) { d[e] = z[e] <= least || z[e] >= most ? Acc(0) : d[e]; });
            break;
        case Function::silu:
            repeat<vector>([&](index_t e) {
                const Acc s = sigmoid(z[e]);
                d[e] *= s * (Acc(1) + z[e] * (Acc(1) - s));
            });
            break;
        case Function::hard_swish:
            repeat<vector>([&](index_t e) {
                d[e] = z[e] <= Acc(-3) ? Acc(0)
                       : z[e] < Acc(3) ? d[e] * (z[e] * Acc(1. / 3) + Acc(0.5))
                                       : d[e];
            });
            break;
        }
    }
};

} // namespace ck::batch_norm
