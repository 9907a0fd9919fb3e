#pragma once
// A problem as the arrays that Composable Kernel's interfaces take, both the factories and the
// header-only operations.
#include "ck/convolution/problem.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ck {

/// Tensors in the order G,N,C,[D]HW for X, G,K,C,[Z]YX for W and G,N,K,[D]HW for Y, or for their
/// gradients; strides in elements; spatial values as [D]HW.
template <std::size_t rank>
struct ConvArrays
{
    /// A value for each dimension of a tensor.
    using Tensor = std::array<index_t, rank + 3>;
    /// A value for each spatial dimension.
    using Dims = std::array<index_t, rank>;

    Tensor input_lengths;  ///< G N C [D] H W
    Tensor input_strides;  ///< in elements
    Tensor filter_lengths; ///< G K C [Z] Y X
    Tensor filter_strides; ///< in elements
    Tensor output_lengths; ///< G N K [D] H W
    Tensor output_strides; ///< in elements
    Dims strides;          ///< at least 1
    Dims dilations;        ///< at least 1
    Dims left_pads;        ///< negative: a crop
    Dims right_pads;       ///< negative: a crop
};

/// Converts a valid problem to the arrays of its rank. Throws std::invalid_argument if the problem
/// has another rank, or if a stride is 2^31 or more.
template <std::size_t rank>
ConvArrays<rank> to_arrays(const ConvProblem& p)
{
    static_assert(1 <= rank && rank <= 3, "convolutions have 1 to 3 spatial dimensions");
    if(p.rank != static_cast<index_t>(rank))
        throw std::invalid_argument("the convolution has " + std::to_string(p.rank) +
                                    " spatial dimensions, but the arrays are of " +
                                    std::to_string(rank));
    const auto narrow = [](long_index_t value) {
        if(value < -detail::index_limit || value > detail::index_limit)
            throw std::invalid_argument("a stride of " + std::to_string(value) +
                                        " elements does not fit into 32 bits");
        return static_cast<index_t>(value);
    };
    const auto tensor = [&](const std::array<long_index_t, 6>& values) {
        typename ConvArrays<rank>::Tensor a{};
        for(std::size_t i = 0; i < rank + 3; ++i)
            a[i] = narrow(values[i < 3 ? i : i + 3 - rank]);
        return a;
    };
    const auto dims = [&](const Spatial& values) {
        typename ConvArrays<rank>::Dims a{};
        for(std::size_t i = 0; i < rank; ++i)
            a[i] = narrow(values[i + 3 - rank]);
        return a;
    };
    return {tensor(p.input_lengths()),
            tensor(p.input_strides),
            tensor(p.filter_lengths()),
            tensor(p.filter_strides),
            tensor(p.output_lengths()),
            tensor(p.output_strides),
            dims(p.stride),
            dims(p.dilation),
            dims(p.pad_low),
            dims(p.pad_high)};
}

} // namespace ck
