#pragma once
// A norm of ck/group_norm.hpp with its tensors, run and compared with plain loops in a wider type.
// Bounds follow from the rounding of each step: u for what sums are in, u_stored for elements.
#include "ck/group_norm.hpp"

#include "norm/tensor.hpp"

namespace ck::group_norm_test {

using namespace norm_test;

inline constexpr DataType types[]{DataType::f64, DataType::f32, DataType::f16, DataType::bf16};

/// What a case has besides its spec.
struct Options
{
    bool weight = true, bias = true, d_weight = true, d_bias = true, d_residual = true;
    Real mean = 0.5L, deviation = 1; ///< x's; each channel's values differ slightly
};

class GroupNorm
{
public:
    GroupNorm(const GroupNormSpec& spec, const Options& options = {});

    /// Runs and compares; failures name the case.
    void check_forward();
    void check_backward(); ///< call it after check_forward()

    GroupNormTensors tensors() const;

    GroupNormSpec spec;
    Options options;
    GroupNormPlan plan;
    DataType channel_type, parameter_type;
    bool of_pixels; ///< whether the channels of a pixel share statistics
    std::size_t images, pixels, channels, groups, elements;
    std::size_t statistics, in_one; ///< means, and elements that share one
    Tensor x, residual, y, dy, dx, d_residual;
    Tensor weight, bias, mean, inverse, d_weight, d_bias;
    test::EndingMemory workspace;

    /// As they are stored.
    struct
    {
        Reals x, residual, weight, bias, mean, inverse;
    } values;

private:
    std::string name() const;
    void expect(const char* what, const Reals& got, const Reals& right, const Reals& bound) const
    {
        expect_near(name(), what, got, right, bound);
    }
    Real weight_of(std::size_t c) const { return options.weight ? values.weight[c] : 1; }
    Real bias_of(std::size_t c) const { return options.bias ? values.bias[c] : 0; }
    /// The slope of an activation with a kink at 0, where z is negative; 1 of others.
    Real below_zero() const;
    /// Calls f(statistic, indices of its elements).
    template <class F>
    void each_group(const F& f) const;

    Real u, u_stored;
    Real extra; ///< roundings of products and quotients, which groups have in f64
    /// Whether the mean is 0.
    bool has_no_mean() const { return spec.kind == NormKind::rms || spec.kind == NormKind::l2; }
    /// The most additions in sequence for a statistic, and for a channel's gradients.
    Real additions() const;
    Real additions_of_channels() const;
    /// From the mean square: what is inverted, squared, at most as given, and whether it is a
    /// limit.
    Real squared_deviation(Real mean_square) const;
    bool is_limit(Real inverse) const;
    /// By how much the rounding of a small element may change it.
    Real smallest_of_type() const { return spec.type == DataType::f16 ? smallest : 0x1p-100L; }
};

inline void check(const GroupNormSpec& spec, const Options& options = {})
{
    GroupNorm g(spec, options);
    g.check_forward();
    g.check_backward();
}

/// With GroupNormActivation::leaky_relu, as many groups as channels: an instance norm.
inline GroupNormSpec instances_of(DataType type,
                                  long_index_t images,
                                  long_index_t pixels,
                                  long_index_t channels,
                                  double slope = 0.01)
{
    return {.type       = type,
            .images     = images,
            .pixels     = pixels,
            .channels   = channels,
            .groups     = channels,
            .activation = GroupNormActivation::leaky_relu,
            .slope      = slope};
}

/// Over the channels of each pixel.
inline GroupNormSpec spec_of(NormKind kind,
                             DataType type,
                             long_index_t pixels,
                             long_index_t channels,
                             GroupNormActivation activation = GroupNormActivation::silu)
{
    return {.type       = type,
            .pixels     = pixels,
            .channels   = channels,
            .activation = activation,
            .kind       = kind};
}

inline GroupNormSpec spec_of(DataType type,
                             long_index_t images,
                             long_index_t pixels,
                             long_index_t channels,
                             long_index_t groups,
                             GroupNormActivation activation = GroupNormActivation::silu)
{
    return {.type       = type,
            .images     = images,
            .pixels     = pixels,
            .channels   = channels,
            .groups     = groups,
            .activation = activation};
}

/// With a residual, and leaky_relu or the activation that is given.
inline GroupNormSpec with_residual(GroupNormSpec spec,
                                   GroupNormActivation activation = GroupNormActivation::leaky_relu)
{
    spec.residual   = true;
    spec.activation = activation;
    return spec;
}

/// Checks a norm's results, and that a second call and calls in place give the same bits.
void expect_same_bits(const GroupNormSpec& spec);

} // namespace ck::group_norm_test
