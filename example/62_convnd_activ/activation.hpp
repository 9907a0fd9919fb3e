#pragma once
// What the examples with element-wise operations on the result share: the problem, and the steepest
// slope of the operation, for the tolerance.
#include "common/conv_example.hpp"

namespace example {

namespace element_wise = ck::tensor_operation::element_wise;

/// E: the example. Op: its operation.
template <class T, class Op>
struct ActivationExample : ConvExample<T>
{
    using Operation = Op;
    static Operation operation() { return {}; }
    static constexpr bool keeps_integers = false;
    static constexpr Fill fill_in{2, 1.f}, fill_wei{2, .05f}, fill_out{2, 1.f};

    static Defaults defaults()
    {
        const ConvParam p(
            3, 2, 16, 128, 8, {3, 3, 3}, {17, 17, 17}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
        return {p, p};
    }

    /// Gelu and Swish are the steepest activations: at most 1.13.
    static double slope(double magnitude)
    {
        return std::is_same_v<Op, element_wise::Power> ? 2 * magnitude : 1.2;
    }
};

} // namespace example
