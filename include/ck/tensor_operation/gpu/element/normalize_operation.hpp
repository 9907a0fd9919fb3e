#pragma once
// Element-wise operations that add a bias or normalize, and may clamp: op(y, x0, x1 ...).
#include "ck/tensor_operation/gpu/element/formula.hpp"

#include <cstdint>
#include <limits>

namespace ck::tensor_operation::element_wise {

/// y = min(max(x0 + x1, floor), ceil). An int8 y keeps the low eight bits of an integer sum, then
/// clamps, as Composable Kernel does. The bounds are truncated and saturate to int8.
struct AddClamp : Formula<AddClamp>
{
    /// Keeps floor and ceil for the formula.
    CK_HOST_DEVICE constexpr AddClamp(float floor = 0.f,
                                      float ceil  = std::numeric_limits<float>::max())
        : floor_(floor),
          ceil_(ceil)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x0, T x1) const
    {
        return detail::clamp(x0 + x1, T(floor_), T(ceil_));
    }

    using Formula<AddClamp>::operator();
    /// x0 is an int32: the sum wraps, then its low eight bits are clamped.
    CK_HOST_DEVICE constexpr void operator()(std::int8_t& y, std::int32_t x0, std::int8_t x1) const
    {
        // unsigned, so that the sum wraps
        const auto sum = static_cast<std::uint32_t>(x0) + static_cast<std::uint32_t>(x1);
        y              = saturated<std::int8_t>(
            detail::clamp(static_cast<float>(static_cast<std::int8_t>(sum)), floor_, ceil_));
    }
    /// The same for an int8 x0.
    CK_HOST_DEVICE constexpr void operator()(std::int8_t& y, std::int8_t x0, std::int8_t x1) const
    {
        (*this)(y, std::int32_t{x0}, x1);
    }

    float floor_;
    float ceil_;
};

/// y = (x - mean) / sqrt(mean_of_squares - mean^2 + epsilon) * gamma + beta
struct Normalize : Formula<Normalize>
{
    /// Keeps epsilon for the formula.
    CK_HOST_DEVICE constexpr Normalize(double epsilon = 1e-4) : epsilon_(epsilon) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T mean, T mean_of_squares, T gamma, T beta) const
    {
        const T variance = mean_of_squares - mean * mean;
        return (x - mean) / std::sqrt(variance + T(epsilon_)) * gamma + beta;
    }

    double epsilon_; ///< added to the variance
};

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
struct NormalizeInInfer : Formula<NormalizeInInfer>
{
    /// Keeps epsilon for the formula.
    CK_HOST_DEVICE constexpr NormalizeInInfer(double epsilon = 1e-4) : epsilon_(epsilon) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T mean, T variance, T gamma, T beta) const
    {
        return (x - mean) / std::sqrt(variance + T(epsilon_)) * gamma + beta;
    }

    double epsilon_; ///< added to the variance
};

/// y = min(max((x + bias - mean) / sqrt(variance + epsilon) * gamma + beta, floor), ceil)
struct BiasNormalizeInInferClamp : Formula<BiasNormalizeInInferClamp>
{
    /// Keeps floor, ceil and epsilon for the formula.
    CK_HOST_DEVICE constexpr BiasNormalizeInInferClamp(
        float floor = 0.f, float ceil = std::numeric_limits<float>::max(), float epsilon = 1e-4f)
        : floor_(floor),
          ceil_(ceil),
          epsilon_(epsilon)
    {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x, T bias, T mean, T variance, T gamma, T beta) const
    {
        const T normal = (x + bias - mean) / std::sqrt(variance + T(epsilon_));
        return detail::clamp(normal * gamma + beta, T(floor_), T(ceil_));
    }

    float floor_;
    float ceil_;
    float epsilon_;
};

} // namespace ck::tensor_operation::element_wise
