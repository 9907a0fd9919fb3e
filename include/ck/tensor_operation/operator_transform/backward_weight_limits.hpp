#pragma once
// How many images one launch of backward weight can take: offsets, columns and the reduction of a
// sub-batch are 32-bit numbers.
#include "ck/tensor_operation/operator_transform/limits.hpp"

namespace ck {

/// Whether BackwardWeight can describe sub-batches of `batch` images of this problem, which must
/// have passed validate().
inline Support
check_backward_weight(const ConvProblem& p, long_index_t batch, const ElementBytes& element)
{
    if(detail::limited_product({p.filter[0], p.filter[1], p.filter[2], p.in_channels}) >
       detail::row_limit)
        return refused([&] {
            return "the filter's taps times " + std::to_string(p.in_channels) +
                   " channels are more than 2^30, the most columns of backward weight";
        });
    if(const Support s = detail::check_offsets(p, batch, element, {"X", "dW", "dY"}); !s)
        return s;
    const Spatial out = p.output();
    if(detail::limited_product({batch, out[0], out[1], out[2]}) > detail::row_limit)
        return refused([&] {
            return "a sub-batch of " + std::to_string(batch) + " images has more than 2^30 " +
                   "output pixels, the longest reduction of backward weight";
        });
    return {};
}

/// The most images, from 1 to N, for which check_backward_weight holds. 0 if it does not hold for
/// one image; check_backward_weight(p, 1, element) then says why.
inline index_t largest_backward_weight_batch(const ConvProblem& p, const ElementBytes& element)
{
    return detail::most_images(p, [&](long_index_t batch) {
        return static_cast<bool>(check_backward_weight(p, batch, element));
    });
}

} // namespace ck
