#pragma once
// Random transposed convolutions, and tensors of small integers for them.
#include "ck/convolution/transposed.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ck::test {

/// Returns a problem in words, for failures.
inline std::string text(const ConvTranspose& p)
{
    std::ostringstream out;
    out << p.rank << "D, G " << p.groups << ", N " << p.batch << ", K " << p.out_channels << ", C "
        << p.in_channels;
    const auto list = [&](const char* what, const auto& values) {
        out << ", " << what;
        for(const long_index_t value : values)
            out << ' ' << value;
    };
    list("input", p.input);
    list("filter", p.filter);
    list("stride", p.stride);
    list("dilation", p.dilation);
    list("pads", p.pad_low);
    list("and", p.pad_high);
    list("output padding", p.output_padding);
    list("output", p.output());
    list("strides of x", p.input_strides);
    list("w", p.filter_strides);
    list("y", p.output_strides);
    return out.str();
}

/// Returns strides for a random order of the dimensions in memory, with random gaps between them.
inline TensorStrides random_strides(const TensorLengths& lengths, std::mt19937& random)
{
    std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
    std::shuffle(order.begin(), order.end(), random);
    TensorStrides strides{};
    long_index_t next = 1;
    for(const std::size_t d : order)
    {
        strides[d] = next;
        next       = next * std::max<long_index_t>(lengths[d], 1) + random() % 3;
    }
    return strides;
}

/// Returns a valid problem: odd channels, pads from -1 to beyond the filter, any output padding, an
/// empty batch now and then, any order of dimensions in memory.
inline ConvTranspose random_transposed(index_t rank, std::mt19937& random)
{
    const auto number = [&](long_index_t least, long_index_t most) {
        return least +
               static_cast<long_index_t>(random() % static_cast<unsigned>(most - least + 1));
    };
    for(;;)
    {
        ConvTranspose p;
        p.rank         = rank;
        p.groups       = number(1, 3);
        p.batch        = random() % 8 == 0 ? 0 : number(1, 2);
        p.out_channels = number(1, 5);
        p.in_channels  = number(1, 5);
        for(std::size_t d = 3 - static_cast<std::size_t>(rank); d < 3; ++d)
        {
            p.input[d]          = number(1, rank == 3 ? 3 : 6);
            p.filter[d]         = number(1, 3);
            p.stride[d]         = number(1, 3);
            p.dilation[d]       = number(1, 3);
            p.pad_low[d]        = number(-1, p.dilation[d] * (p.filter[d] - 1) + 2);
            p.pad_high[d]       = number(-1, p.dilation[d] * (p.filter[d] - 1) + 2);
            p.output_padding[d] = number(0, std::max(p.stride[d], p.dilation[d]) - 1);
        }
        if(!validate(p))
            continue; // pads take away everything
        p.input_strides  = random_strides(p.input_lengths(), random);
        p.filter_strides = random_strides(p.filter_lengths(), random);
        p.output_strides = random_strides(p.output_lengths(), random);
        return p;
    }
}

/// Returns how many elements a tensor's memory spans, first to last.
inline std::size_t span(const TensorLengths& lengths, const TensorStrides& strides)
{
    long_index_t last = 0;
    for(std::size_t d = 0; d < 6; ++d)
        last += std::max<long_index_t>(lengths[d] - 1, 0) * strides[d];
    return static_cast<std::size_t>(last + 1);
}

/// Returns integers from -3 to 3.
template <class T>
std::vector<T> random_integers(std::size_t size, std::mt19937& random)
{
    std::vector<T> values(size);
    for(T& value : values)
        value = type_convert<T>(static_cast<int>(random() % 7) - 3);
    return values;
}

/// Calls f(offset) for each element.
template <class F>
void for_each_element(const TensorLengths& lengths, const TensorStrides& strides, const F& f)
{
    for(long_index_t i = 0, count = element_count(lengths); i < count; ++i)
    {
        long_index_t offset = 0, rest = i;
        for(std::size_t d = 6; d-- > 0; rest /= lengths[d])
            offset += rest % lengths[d] * strides[d];
        f(static_cast<std::size_t>(offset));
    }
}

/// Returns the inner product <a, b> over a tensor's elements.
template <class A, class B>
double inner_product(const TensorLengths& lengths,
                     const TensorStrides& strides,
                     const std::vector<A>& a,
                     const std::vector<B>& b)
{
    double sum = 0;
    for_each_element(lengths, strides, [&](std::size_t i) {
        sum += type_convert<double>(a[i]) * type_convert<double>(b[i]);
    });
    return sum;
}

/// Returns how many elements differ; a NaN always does.
template <class A, class B>
std::size_t differences(const TensorLengths& lengths,
                        const TensorStrides& strides,
                        const std::vector<A>& a,
                        const std::vector<B>& b)
{
    std::size_t count = 0;
    for_each_element(lengths, strides, [&](std::size_t i) {
        count += !(type_convert<double>(a[i]) == type_convert<double>(b[i]));
    });
    return count;
}

} // namespace ck::test
