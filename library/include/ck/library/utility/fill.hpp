#pragma once
// Functors that fill a range: fill(first, last) or fill(range). Each run gives the same values.
#include "ck/library/utility/ranges.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

namespace ck::utils {

namespace detail {
inline constexpr unsigned fill_seed = 11939;
} // namespace detail

/// Uniformly distributed numbers in [a_, b_).
template <class T>
struct FillUniformDistribution
{
    float a_ = -5.f; ///< lower end
    float b_ = 5.f;  ///< upper end

    /// Fills [first, last).
    template <std::forward_iterator Iterator>
    void operator()(Iterator first, Iterator last) const
    {
        std::mt19937 generator(detail::fill_seed);
        std::uniform_real_distribution<float> distribution(a_, b_);
        std::generate(first, last, [&] { return ck::type_convert<T>(distribution(generator)); });
    }
    /// Fills a range.
    template <ck::ranges::range Range>
    void operator()(Range&& range) const
    {
        (*this)(std::begin(range), std::end(range));
    }
};

/// The same, rounded to integers.
template <class T>
struct FillUniformDistributionIntegerValue
{
    float a_ = -5.f; ///< lower end
    float b_ = 5.f;  ///< upper end

    /// Fills [first, last).
    template <std::forward_iterator Iterator>
    void operator()(Iterator first, Iterator last) const
    {
        std::mt19937 generator(detail::fill_seed);
        std::uniform_real_distribution<float> distribution(a_, b_);
        std::generate(
            first, last, [&] { return ck::type_convert<T>(std::round(distribution(generator))); });
    }
    /// Fills a range.
    template <ck::ranges::range Range>
    void operator()(Range&& range) const
    {
        (*this)(std::begin(range), std::end(range));
    }
};

/// init_value_, then each number is the previous one plus step_, rounded to T.
template <class T>
struct FillMonotonicSeq
{
    T init_value_ = ck::type_convert<T>(0); ///< first number
    T step_       = ck::type_convert<T>(1); ///< difference between neighbours

    /// Fills [first, last).
    template <std::forward_iterator Iterator>
    void operator()(Iterator first, Iterator last) const
    {
        using Compute =
            std::conditional_t<std::is_same_v<T, bhalf_t> || std::is_same_v<T, half_t>, float, T>;
        std::generate(first, last, [this, next = init_value_]() mutable {
            const T value = next;
            next = ck::type_convert<T>(static_cast<Compute>(ck::type_convert<Compute>(next) +
                                                            ck::type_convert<Compute>(step_)));
            return value;
        });
    }
    /// Fills a range.
    template <ck::ranges::range Range>
    void operator()(Range&& range) const
    {
        (*this)(std::begin(range), std::end(range));
    }
};

/// One value.
template <class T>
struct FillConstant
{
    T value_ = ck::type_convert<T>(0); ///< value of every element

    /// Fills [first, last).
    template <std::forward_iterator Iterator>
    void operator()(Iterator first, Iterator last) const
    {
        std::fill(first, last, value_);
    }
    /// Fills a range.
    template <ck::ranges::range Range>
    void operator()(Range&& range) const
    {
        (*this)(std::begin(range), std::end(range));
    }
};

} // namespace ck::utils
