#pragma once
// How many images one launch of backward data can take: offsets and rows within a chunk are 32-bit
// numbers.
#include "ck/convolution/problem.hpp"

namespace ck {

/// Bytes of an element of each tensor: x, w, y and their gradients.
struct ElementBytes
{
    index_t input, filter, output;
};

namespace detail {

/// Bytes from the first to the last element of one group of a tensor, both included.
inline long_index_t
reach_in_bytes(TensorLengths lengths, const TensorStrides& strides, index_t element)
{
    lengths[0]        = 1;
    long_index_t last = 0;
    for(std::size_t i = 0; i < 6; ++i)
        if(lengths[i] > 1)
            last += (lengths[i] - 1) * strides[i];
    return (last + 1) * element;
}

constexpr long_index_t row_limit = long_index_t{1}
                                   << 30; // leaves room for the last tile to run over

/// The rows of one image in the class that has the most.
inline long_index_t backward_data_rows(const ConvProblem& p)
{
    long_index_t rows = 1;
    for(std::size_t i = 0; i < 3 && rows <= row_limit; ++i)
        rows *= math::integer_divide_ceil(p.input[i], p.stride[i]);
    return rows;
}

} // namespace detail

/// Whether BackwardData can describe chunks of `batch` images of this problem, which has passed
/// validate().
inline Support
check_backward_data(const ConvProblem& p, long_index_t batch, const ElementBytes& element)
{
    const auto text      = [](long_index_t n) { return std::to_string(n); };
    long_index_t classes = 1;
    for(std::size_t i = 0; i < 3; ++i)
    {
        classes *= p.stride[i];
        if(p.stride[i] * p.dilation[i] > detail::index_limit / 2)
            return refused("the stride times the dilation in a dimension is " +
                           text(p.stride[i] * p.dilation[i]) +
                           ", but backward data needs less than 2^30");
        if(classes > detail::index_limit)
            return refused("the strides multiply to " + text(classes) +
                           " residue classes, but backward data needs fewer than 2^31");
    }

    TensorLengths input = p.input_lengths(), output = p.output_lengths();
    input[1] = output[1]   = batch;
    const auto check_reach = [&](const char* tensor, long_index_t reach) {
        return reach <= detail::index_limit
                   ? Support{}
                   : refused(std::string(tensor) + " spans " + text(reach) +
                             " bytes in a chunk of " + text(batch) +
                             " images, but 32-bit offsets need less than 2^31");
    };
    for(const Support& s :
        {check_reach("dX", detail::reach_in_bytes(input, p.input_strides, element.input)),
         check_reach("W",
                     detail::reach_in_bytes(p.filter_lengths(), p.filter_strides, element.filter)),
         check_reach("dY", detail::reach_in_bytes(output, p.output_strides, element.output))})
        if(!s)
            return s;

    const long_index_t rows = detail::backward_data_rows(p);
    if(rows > detail::row_limit || rows * batch > detail::row_limit)
        return refused("a residue class has " + text(rows) + " rows or more in each of " +
                       text(batch) + " images, but backward data needs at most 2^30 in all");
    return {};
}

/// The most images, at most N and at least 1, for which check_backward_data holds;
/// 0 if it does not even hold for one image: check_backward_data(p, 1, element) then says why.
inline index_t largest_batch(const ConvProblem& p, const ElementBytes& element)
{
    if(!check_backward_data(p, 1, element))
        return 0;
    long_index_t low = 1,
                 high =
                     std::max<long_index_t>(p.batch, 1); // low holds; the answer is in [low, high]
    while(low < high)
    {
        const long_index_t middle = (low + high + 1) / 2;
        if(check_backward_data(p, middle, element))
            low = middle;
        else
            high = middle - 1;
    }
    return static_cast<index_t>(low);
}

} // namespace ck
