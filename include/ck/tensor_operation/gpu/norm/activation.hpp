#pragma once
// The activation after a norm and its derivative, selected by a branch that is uniform across
// threads.
#include "ck/tensor_operation/gpu/element/formula.hpp"
#include "ck/utility/number.hpp"

#include <cstdint>

namespace ck::norm {

/// clamp with the limits 0 and NaN is relu: no comparison with NaN is true.
enum class Function : std::int32_t
{
    none,
    clamp,
    silu,
    hard_swish,
    leaky_relu
};

template <class Acc>
struct Activation
{
    Function function;
    Acc least, most;    ///< bounds of clamp
    Acc slope = Acc(0); ///< slope of leaky_relu where z is not positive

    /// Applies the activation to z; NaN stays NaN.
    template <index_t vector>
    CK_DEVICE CK_INLINE void apply(Acc (&z)[vector]) const
    {
        using namespace tensor_operation::element_wise::detail;
        if(function == Function::none)
            return;
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
            repeat<vector>([&](index_t e) { z[e] = gated(z[e], hard_sigmoid(z[e])); });
            break;
        case Function::leaky_relu:
            repeat<vector>([&](index_t e) { z[e] = z[e] > 0 ? z[e] : slope * z[e]; });
            break;
        }
    }

    /// Multiplies d by the derivative at z; at a kink the derivative is PyTorch's.
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
        case Function::leaky_relu:
            repeat<vector>([&](index_t e) { d[e] = z[e] > 0 ? d[e] : slope * d[e]; });
            break;
        }
    }
};

} // namespace ck::norm
