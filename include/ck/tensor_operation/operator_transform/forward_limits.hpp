#pragma once
// How many images one launch of the forward direction can take: offsets and rows in a sub-batch are
// 32-bit numbers.
#include "ck/tensor_operation/operator_transform/limits.hpp"

namespace ck {

/// Whether Forward can describe sub-batches of `batch` images of this problem, which must have
/// passed validate().
inline Support check_forward(const ConvProblem& p, long_index_t batch, const ElementBytes& element)
{
    if(detail::limited_product({p.filter[0], p.filter[1], p.filter[2]}) > detail::row_limit)
        return refused("the filter has more than 2^30 taps, the most that forward can take");
    if(const Support s = detail::check_offsets(p, batch, element, {"X", "W", "Y"}); !s)
        return s;
    const Spatial out = p.output();
    if(detail::limited_product({batch, out[0], out[1], out[2]}) > detail::row_limit)
        return refused([&] {
            return "a sub-batch of " + std::to_string(batch) + " images has more than 2^30 " +
                   "output pixels, the most rows that forward can take";
        });
    return {};
}

/// The most images, from 1 to N, for which check_forward holds. 0 if it does not hold for one
/// image; check_forward(p, 1, element) then says why.
inline index_t largest_forward_batch(const ConvProblem& p, const ElementBytes& element)
{
    return detail::most_images(
        p, [&](long_index_t batch) { return static_cast<bool>(check_forward(p, batch, element)); });
}

} // namespace ck
