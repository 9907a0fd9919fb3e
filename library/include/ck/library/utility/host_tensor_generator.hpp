#pragma once
// Generators that fill a tensor: Tensor::GenerateTensorValue calls them with each index.
#include "ck/utility/type_convert.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>

/// Zeros.
template <class T>
struct GeneratorTensor_0
{
    /// 0 for any indices.
    template <class... Is>
    T operator()(Is...) const
    {
        return ck::type_convert<T>(0);
    }
};

/// One value.
template <class T>
struct GeneratorTensor_1
{
    /// A numeric type, also if T holds bits.
    using Value = std::
        conditional_t<std::is_same_v<T, ck::half_t> || std::is_same_v<T, ck::bhalf_t>, float, T>;

    Value value = 1; ///< value of every element

    /// The value for any indices.
    template <class... Is>
    T operator()(Is...) const
    {
        return ck::type_convert<T>(value);
    }
};

/// Random integers in [min_value, max_value).
template <class T>
struct GeneratorTensor_2
{
    int min_value = 0; ///< lower end
    int max_value = 1; ///< one more than the largest

    /// The next number of std::rand().
    template <class... Is>
    T operator()(Is...) const
    {
        const int span = max_value - min_value;
        return ck::type_convert<T>(span > 0 ? std::rand() % span + min_value : min_value);
    }
};

/// Random numbers in [min_value, max_value].
template <class T>
struct GeneratorTensor_3
{
    float min_value = 0; ///< lower end
    float max_value = 1; ///< upper end

    /// The next number of std::rand().
    template <class... Is>
    T operator()(Is...) const
    {
        const float unit = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX);
        return ck::type_convert<T>(min_value + unit * (max_value - min_value));
    }
};

/// Normally distributed numbers; one thread and one seed always give the same ones.
template <class T>
struct GeneratorTensor_4
{
    std::mt19937 generator;                       ///< random engine
    std::normal_distribution<float> distribution; ///< mean and deviation

    /// mean, standard deviation, seed of the sequence
    GeneratorTensor_4(float mean, float stddev, unsigned seed = 1)
        : generator(seed),
          distribution(mean, stddev)
    {}

    /// The next number.
    template <class... Is>
    T operator()(Is...)
    {
        return ck::type_convert<T>(distribution(generator));
    }
};

/// 1 if the sum of the indices is even, otherwise -1.
struct GeneratorTensor_Checkboard
{
    /// 1 or -1 by the sum of the indices.
    template <class... Is>
    float operator()(Is... is) const
    {
        return (is + ... + 0) % 2 == 0 ? 1.f : -1.f;
    }
};

/// Each element is its index in dimension `dim`.
template <ck::index_t dim>
struct GeneratorTensor_Sequential
{
    /// The index; throws std::runtime_error if the tensor has fewer dimensions.
    template <class... Is>
    float operator()(Is... is) const
    {
        if constexpr(dim < sizeof...(Is))
            return static_cast<float>(std::array<ck::long_index_t, sizeof...(Is)>{
                static_cast<ck::long_index_t>(is)...}[dim]);
        else
            throw std::runtime_error("the tensor has " + std::to_string(sizeof...(Is)) +
                                     " dimensions, none of which is number " + std::to_string(dim));
    }
};

/// `value` if the last NumEffectiveDim indices (or all, if fewer) are equal, otherwise 0.
template <class T, ck::index_t NumEffectiveDim = 2>
struct GeneratorTensor_Diagonal
{
    T value = ck::type_convert<T>(1); ///< on the diagonal

    /// The value on the diagonal, otherwise 0.
    template <class... Is>
    T operator()(Is... is) const
    {
        constexpr std::size_t rank  = sizeof...(Is);
        constexpr std::size_t first = rank < NumEffectiveDim ? 0 : rank - NumEffectiveDim;
        const std::array<ck::long_index_t, rank> index{static_cast<ck::long_index_t>(is)...};
        for(std::size_t d = first; d + 1 < rank; ++d)
            if(index[d] != index[d + 1])
                return ck::type_convert<T>(0);
        return value;
    }
};
