#pragma once
// How many images one launch of backward data can take: offsets and rows in a sub-batch are 32-bit
// numbers.
#include "ck/tensor_operation/operator_transform/backward_data_by_pixel.hpp"
#include "ck/tensor_operation/operator_transform/limits.hpp"

namespace ck {

namespace detail {

/// Rows per image in the longest phase.
inline long_index_t backward_data_rows(const ConvProblem& p)
{
    long_index_t rows = 1;
    for(std::size_t i = 0; i < 3 && rows <= row_limit; ++i)
        rows *= math::integer_divide_ceil(p.input[i], p.stride[i]);
    return rows;
}

} // namespace detail

/// Whether BackwardData can describe sub-batches of `batch` images of this problem, which must have
/// passed validate().
inline Support
check_backward_data(const ConvProblem& p, long_index_t batch, const ElementBytes& element)
{
    const auto text     = [](long_index_t n) { return std::to_string(n); };
    long_index_t phases = 1;
    for(std::size_t i = 0; i < 3; ++i)
    {
        phases *= detail::phases_of_dimension(p, i).count;
        if(phases > detail::index_limit)
            return refused([&] {
                return "strides and input lengths make " + text(phases) +
                       " phases, but backward data needs fewer than 2^31";
            });
    }
    if(const Support s = detail::check_offsets(p, batch, element, {"dX", "W", "dY"}); !s)
        return s;

    const long_index_t rows = detail::backward_data_rows(p);
    if(rows > detail::row_limit || rows * batch > detail::row_limit)
        return refused([&] {
            return "a phase has " + text(rows) + " rows or more in each of " + text(batch) +
                   " images, but backward data needs at most 2^30 in all";
        });
    return {};
}

/// The most images, from 1 to N, for which check_backward_data holds. 0 if it does not hold for one
/// image; check_backward_data(p, 1, element) then says why.
inline index_t largest_batch(const ConvProblem& p, const ElementBytes& element)
{
    return detail::most_images(p, [&](long_index_t batch) {
        return static_cast<bool>(check_backward_data(p, batch, element));
    });
}

} // namespace ck
