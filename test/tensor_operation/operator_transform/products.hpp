#pragma once
// What a transform to a GEMM must compute: the products of a convolution by its definition, over
// random problems.
#include "ck/convolution/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace ck {

/// One product of the sum: offsets within one group of x, y and w, or their gradients.
using Product = std::array<long_index_t, 3>;

inline std::string text(const ConvProblem& p)
{
    std::string s = "rank " + std::to_string(p.rank) + " NKC " + std::to_string(p.batch) + ' ' +
                    std::to_string(p.out_channels) + ' ' + std::to_string(p.in_channels);
    const auto add = [&](const char* name, const Spatial& v) {
        s += std::string(", ") + name;
        for(const long_index_t value : v)
            s += ' ' + std::to_string(value);
    };
    add("input", p.input), add("filter", p.filter), add("stride", p.stride),
        add("dilation", p.dilation);
    add("pad", p.pad_low), add("and", p.pad_high);
    return s;
}

template <class F>
void for_each(const Spatial& lengths, F&& f)
{
    Spatial i{};
    for(i[0] = 0; i[0] < lengths[0]; ++i[0])
        for(i[1] = 0; i[1] < lengths[1]; ++i[1])
            for(i[2] = 0; i[2] < lengths[2]; ++i[2])
                f(i);
}

inline long_index_t
offset(const TensorStrides& s, long_index_t first, long_index_t second, const Spatial& i)
{
    return first * s[1] + second * s[2] + i[0] * s[3] + i[1] * s[4] + i[2] * s[5];
}

inline std::vector<Product> products_by_definition(const ConvProblem& p)
{
    std::vector<Product> products;
    for_each(p.output(), [&](const Spatial& o) {
        for_each(p.filter, [&](const Spatial& y) {
            Spatial in{};
            for(std::size_t d = 0; d < 3; ++d)
            {
                in[d] = o[d] * p.stride[d] + y[d] * p.dilation[d] - p.pad_low[d];
                if(in[d] < 0 || in[d] >= p.input[d])
                    return;
            }
            for(long_index_t n = 0; n < p.batch; ++n)
                for(long_index_t k = 0; k < p.out_channels; ++k)
                    for(long_index_t c = 0; c < p.in_channels; ++c)
                        products.push_back({offset(p.input_strides, n, c, in),
                                            offset(p.output_strides, n, k, o),
                                            offset(p.filter_strides, k, c, y)});
        });
    });
    return products;
}

struct Random
{
    std::mt19937 engine;
    long_index_t operator()(long_index_t low, long_index_t high)
    {
        return low + static_cast<long_index_t>(engine() % static_cast<unsigned>(high - low + 1));
    }
};

/// Strides of memory in any order of dimensions, with gaps.
inline TensorStrides scattered_strides(const TensorLengths& lengths, Random& random)
{
    std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
    std::shuffle(order.begin(), order.end(), random.engine);
    TensorStrides strides{};
    long_index_t next = random(1, 2);
    for(const std::size_t d : order)
    {
        strides[d] = next;
        next       = next * std::max<long_index_t>(lengths[d], 1) + random(0, 3);
    }
    return strides;
}

inline ConvProblem random_problem(index_t rank, Random& random)
{
    ConvProblem p;
    p.rank         = rank;
    p.groups       = random(1, 3);
    p.batch        = random(1, 2);
    p.out_channels = random(1, 3);
    p.in_channels  = random(1, 2);
    for(std::size_t d = 3 - static_cast<std::size_t>(rank); d < 3; ++d)
    {
        p.input[d]    = random(1, rank == 3 ? 5 : 9);
        p.filter[d]   = random(1, rank == 3 ? 4 : 5);
        p.stride[d]   = random(1, 4);
        p.dilation[d] = random(1, 4);
        p.pad_low[d]  = random(0, 1) ? random(-1, 2) : random(0, 7);
        p.pad_high[d] = random(0, 1) ? random(-1, 2) : random(0, 7);
    }
    set_packed_strides(p, random(0, 1) ? PackedOrder::group_first : PackedOrder::group_inside);
    if(random(0, 2) == 0)
    {
        p.input_strides  = scattered_strides(p.input_lengths(), random);
        p.filter_strides = scattered_strides(p.filter_lengths(), random);
        p.output_strides = scattered_strides(p.output_lengths(), random);
    }
    return p;
}

/// Whether both hold the same products, in any order: those of the first `groups` groups.
inline void
expect_same_products(std::vector<Product> computed, const ConvProblem& p, long_index_t groups = 1)
{
    std::vector<Product> by_definition;
    for(long_index_t g = 0; g < groups; ++g)
        for(const Product& product : products_by_definition(p))
            by_definition.push_back({product[0] + g * p.input_strides[0],
                                     product[1] + g * p.output_strides[0],
                                     product[2] + g * p.filter_strides[0]});
    std::sort(computed.begin(), computed.end());
    std::sort(by_definition.begin(), by_definition.end());
    ASSERT_EQ(computed.size(), by_definition.size()) << text(p);
    ASSERT_TRUE(computed == by_definition) << text(p);
}

/// Whether `written` has every element of one group of a tensor once: the offsets by `first` (n or
/// k), `second` (c or k) and the spatial lengths.
inline void expect_each_written_once(std::vector<long_index_t> written,
                                     const TensorLengths& lengths,
                                     const TensorStrides& strides,
                                     const ConvProblem& p)
{
    std::vector<long_index_t> elements;
    for_each({lengths[3], lengths[4], lengths[5]}, [&](const Spatial& i) {
        for(long_index_t first = 0; first < lengths[1]; ++first)
            for(long_index_t second = 0; second < lengths[2]; ++second)
                elements.push_back(offset(strides, first, second, i));
    });
    std::sort(elements.begin(), elements.end());
    std::sort(written.begin(), written.end());
    ASSERT_TRUE(written == elements) << "every element is written once: " << text(p);
}

/// expect_equal(problem, batch of a full sub-batch) for `count` random problems of a rank.
template <class ExpectEqual>
void expect_random_problems_equal(index_t rank, int count, const ExpectEqual& expect_equal)
{
    Random random{std::mt19937(static_cast<unsigned>(rank))};
    int with_products = 0;
    for(int i = 0; i < count; ++i)
    {
        const ConvProblem p = random_problem(rank, random);
        ASSERT_TRUE(validate(p)) << validate(p).reason;
        ASSERT_NO_FATAL_FAILURE(expect_equal(p, static_cast<index_t>(p.batch + random(0, 2))));
        ASSERT_FALSE(::testing::Test::HasFailure()) << text(p);
        with_products += !products_by_definition(p).empty();
    }
    EXPECT_GT(with_products, count / 4) << "problems must have something to compare";
}

} // namespace ck
