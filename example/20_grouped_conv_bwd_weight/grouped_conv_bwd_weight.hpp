#pragma once
// Backward weight of a grouped convolution, dW = dY * X.
#include "common/conv_example.hpp"

namespace example {

/// Runs the kernels of an engine for tensors of T.
template <Engine engine, class T>
struct BwdWeight : ConvExample<T>
{
    using Direction = BackwardWeight<BwdWeight>;
    template <index_t rank>
    using Operations = GroupedOperations<BwdWeight, rank, engine>;

    static Defaults defaults()
    {
        const auto with = [](index_t g, index_t k) {
            return ConvParam(3,
                             g,
                             1,
                             k,
                             256,
                             {3, 3, 3},
                             {14, 14, 14},
                             {1, 1, 1},
                             {1, 1, 1},
                             {1, 1, 1},
                             {1, 1, 1});
        };
        return {with(4, 128), with(1, 64)};
    }
};

} // namespace example
