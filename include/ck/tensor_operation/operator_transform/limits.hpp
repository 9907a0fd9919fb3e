#pragma once
// Limits on a sub-batch in all directions: its offsets and coordinate lengths are 32-bit
// numbers.
#include "ck/convolution/problem.hpp"

#include <initializer_list>
#include <utility>

namespace ck {

/// Bytes per element of x, w and y, or their gradients.
struct ElementBytes
{
    index_t input, filter, output;
};

namespace detail {

/// The longest coordinate. Leaves room for the last tile to extend beyond it.
constexpr long_index_t row_limit = long_index_t{1} << 30;

/// Bytes from the first to the last element of one group, inclusive; saturates at the largest
/// long_index_t.
inline long_index_t
reach_in_bytes(TensorLengths lengths, const TensorStrides& strides, index_t element)
{
    lengths[0]        = 1;
    long_index_t last = 0;
    for(std::size_t i = 0; i < 6; ++i)
        if(lengths[i] > 1)
            last = math::saturating_sum(last, math::saturating_product(lengths[i] - 1, strides[i]));
    return math::saturating_product(math::saturating_sum(last, long_index_t{1}),
                                    long_index_t{element});
}

/// The names of the three tensors in a direction.
struct TensorNames
{
    const char *input, *filter, *output;
};

/// Whether the channels, and the offsets in sub-batches of `batch` images, fit 32 bits.
inline Support check_offsets(const ConvProblem& p,
                             long_index_t batch,
                             const ElementBytes& element,
                             const TensorNames& name)
{
    Support s; // reused, because each kernel runs this several times
    const auto check_channels = [&](const char* channels, long_index_t count) {
        if(s && count > row_limit)
            s = refused([&] {
                return std::string(channels) + " is " + std::to_string(count) +
                       ", but a launch takes at most 2^30";
            });
    };
    check_channels("K", p.out_channels);
    check_channels("C", p.in_channels);
    for(std::size_t i = 0; i < 3; ++i) // indices of views, with padding, stay below 2^30
    {
        const auto check_length = [&](const char* what, long_index_t length) {
            if(s && length > row_limit)
                s = refused([&] {
                    return std::string(what) + " is " + std::to_string(length) +
                           " long in a dimension, but a launch takes at most 2^30";
                });
        };
        check_length("the padded input", p.input[i] + p.pad_low[i] + p.pad_high[i]);
        check_length("the input", p.input[i]);
        check_length("what the left pad crops", -p.pad_low[i]);
        check_length("the dilated filter", p.dilation[i] * (p.filter[i] - 1) + 1);
    }
    if(!s)
        return s;
    TensorLengths input = p.input_lengths(), output = p.output_lengths();
    input[1] = output[1]   = batch;
    const auto check_reach = [&](const char* tensor,
                                 const TensorLengths& lengths,
                                 const TensorStrides& strides,
                                 index_t bytes) {
        if(const long_index_t reach = s ? reach_in_bytes(lengths, strides, bytes) : 0;
           reach > index_limit)
            s = refused([&] {
                return std::string(tensor) + " spans " + std::to_string(reach) +
                       " bytes in a sub-batch of " + std::to_string(batch) +
                       " images, but 32-bit offsets need less than 2^31";
            });
    };
    check_reach(name.input, input, p.input_strides, element.input);
    check_reach(name.filter, p.filter_lengths(), p.filter_strides, element.filter);
    check_reach(name.output, output, p.output_strides, element.output);
    return s;
}

/// The product, or a number above row_limit if it is larger. Factors must not be negative.
inline long_index_t limited_product(std::initializer_list<long_index_t> factors)
{
    long_index_t product = 1;
    for(const long_index_t factor : factors)
    {
        if(factor == 0)
            return 0;
        product = product > row_limit || factor > row_limit ? row_limit + 1 : product * factor;
    }
    return product;
}

/// The most images, from 1 to N, for which check(images) holds, if it also holds for all smaller
/// numbers; 0 if it does not hold for one.
template <class Check>
index_t most_images(const ConvProblem& p, const Check& check)
{
    long_index_t low  = 1;
    long_index_t high = std::max<long_index_t>(p.batch, 1);
    if(check(high)) // the usual case
        return static_cast<index_t>(high);
    if(high == 1 || !check(low))
        return 0;
    --high;
    while(low < high) // low holds; result is in [low, high]
    {
        const long_index_t middle = (low + high + 1) / 2;
        if(check(middle))
            low = middle;
        else
            high = middle - 1;
    }
    return static_cast<index_t>(low);
}

} // namespace detail

/// Whether taps and channels fit into one coordinate. channels: of the reduction.
inline Support check_merged_reduction(const ConvProblem& p, long_index_t channels)
{
    if(detail::limited_product({p.filter[0], p.filter[1], p.filter[2], channels}) >
       detail::row_limit)
        return refused([&] {
            return "the filter's taps times " + std::to_string(channels) +
                   " channels are more than the 2^30 that one merged reduction can have";
        });
    return {};
}

} // namespace ck
