#pragma once
// Random convolutions of small integers, for the references: tensors with any strides, and the
// products of the definition in logical indices.
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace reference_test {

using ck::long_index_t;
using ck::utils::conv::ConvParam;
using Longs = std::vector<long_index_t>;
using Index = std::vector<std::size_t>;

/// What a failure says of its problem.
inline std::string text(const ConvParam& p)
{
    std::ostringstream out;
    out << p;
    return out.str();
}

/// Calls f(x index, w index, y index) for each product of the convolution.
template <class F>
void for_each_product(const ConvParam& p, const F& f)
{
    const auto rank = static_cast<std::size_t>(p.num_dim_spatial_);
    const auto next = [](Longs& i, const Longs& lengths) {
        for(std::size_t d = i.size(); d-- > 0; i[d] = 0)
            if(++i[d] < lengths[d])
                return true;
        return false;
    };
    Longs y_lengths{p.G_, p.N_, p.K_}, taps{p.C_};
    y_lengths.insert(
        y_lengths.end(), p.output_spatial_lengths_.begin(), p.output_spatial_lengths_.end());
    taps.insert(taps.end(), p.filter_spatial_lengths_.begin(), p.filter_spatial_lengths_.end());
    for(const long_index_t length : y_lengths)
        if(length <= 0)
            return;
    Longs y(y_lengths.size());
    do
    {
        Longs tap(taps.size());
        do
        {
            Longs x{y[0], y[1], tap[0]}, w{y[0], y[2], tap[0]};
            bool inside = true;
            for(std::size_t d = 0; d < rank; ++d)
            {
                x.push_back(y[3 + d] * p.conv_filter_strides_[d] +
                            tap[1 + d] * p.conv_filter_dilations_[d] - p.input_left_pads_[d]);
                inside = inside && x.back() >= 0 && x.back() < p.input_spatial_lengths_[d];
                w.push_back(tap[1 + d]);
            }
            if(inside)
                f(Index(x.begin(), x.end()), Index(w.begin(), w.end()), Index(y.begin(), y.end()));
        } while(next(tap, taps));
    } while(next(y, y_lengths));
}

inline Index lengths_of(Longs first, const Longs& spatial)
{
    first.insert(first.end(), spatial.begin(), spatial.end());
    return Index(first.begin(), first.end());
}
inline Index x_lengths(const ConvParam& p)
{
    return lengths_of({p.G_, p.N_, p.C_}, p.input_spatial_lengths_);
}
inline Index w_lengths(const ConvParam& p)
{
    return lengths_of({p.G_, p.K_, p.C_}, p.filter_spatial_lengths_);
}
inline Index y_lengths(const ConvParam& p)
{
    return lengths_of({p.G_, p.N_, p.K_}, p.output_spatial_lengths_);
}

/// A random order of the dimensions in memory, with random gaps between them.
inline HostTensorDescriptor random_strides(const Index& lengths, std::mt19937& random)
{
    Index order(lengths.size()), strides(lengths.size());
    for(std::size_t d = 0; d < order.size(); ++d)
        order[d] = d;
    std::shuffle(order.begin(), order.end(), random);
    std::size_t next = 1;
    for(const std::size_t d : order)
    {
        strides[d] = next;
        next       = next * lengths[d] + random() % 3;
    }
    return {lengths, strides};
}

template <class T>
Tensor<T> random_integers(const HostTensorDescriptor& desc, std::mt19937& random)
{
    Tensor<T> t(desc);
    t.ForEach([&](auto& self, const Index& i) {
        self(i) = ck::type_convert<T>(static_cast<int>(random() % 9) - 4);
    });
    return t;
}

/// Equal at every index, whatever the strides.
template <class T>
void expect_equal(const Tensor<T>& computed, const Tensor<double>& expected, const ConvParam& p)
{
    std::size_t wrong = 0;
    computed.ForEach([&](const auto& self, const Index& i) {
        wrong += ck::type_convert<double>(self(i)) != expected(i);
    });
    EXPECT_EQ(wrong, 0u) << text(p);
}

/// Inputs may be smaller than the filter: then there is no output. The batch may be empty. Negative
/// pads and outputs shorter than the formula's crop.
inline ConvParam random_problem(int rank, std::mt19937& random)
{
    const auto number = [&](int least, int most) {
        return static_cast<long_index_t>(least +
                                         static_cast<int>(random() % unsigned(most - least + 1)));
    };
    Longs filter, input, stride, dilation, left, right;
    for(int d = 0; d < rank; ++d)
    {
        filter.push_back(number(1, 4));
        input.push_back(number(1, rank == 3 ? 5 : 9));
        stride.push_back(number(1, 3));
        dilation.push_back(number(1, 3));
        left.push_back(number(-1, 3));
        right.push_back(number(-1, 3));
    }
    const long_index_t g = number(1, 3), n = number(0, 2), k = number(1, 5), c = number(1, 5);
    ConvParam p{long_index_t{rank}, g, n, k, c, filter, input, stride, dilation, left, right};
    for(long_index_t& length : p.output_spatial_lengths_)
        if(length > 0 && random() % 4 == 0)
            --length;
    return p;
}

/// <a, b> over their indices.
template <class A, class B>
double inner_product(const Tensor<A>& a, const Tensor<B>& b)
{
    double sum = 0;
    a.ForEach([&](const auto& self, const Index& i) {
        sum += ck::type_convert<double>(self(i)) * ck::type_convert<double>(b(i));
    });
    return sum;
}

} // namespace reference_test
