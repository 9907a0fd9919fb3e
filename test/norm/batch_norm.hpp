#pragma once
// A batch norm with its tensors, run and compared with plain loops in a wider type. Bounds follow
// from the rounding of each step: u for what sums are in, u_stored for elements.
#include "ck/batch_norm.hpp"

#include "norm/tensor.hpp"
#include <algorithm>
#include <limits>

namespace ck::batch_norm_test {

using namespace norm_test;

/// What a case has besides its spec.
struct Options
{
    bool weight = true, bias = true, running = true, d_residual = true, d_channels = true;
    Real mean = 0.5L, deviation = 1; ///< x's; each channel's values differ slightly
    double momentum = 0.1;
};

class BatchNorm
{
public:
    BatchNorm(const BatchNormSpec& spec, const Options& options = {});

    /// Runs and compares; failures name the case.
    void check_forward();
    void check_backward(); ///< call it after check_forward()
    void check_inference();

    BatchNormTensors tensors() const;

    BatchNormSpec spec;
    Options options;
    BatchNormPlan plan;
    DataType channel_type;
    std::size_t rows, channels;
    Tensor x, residual, y, dy, dx, d_residual;
    Tensor weight, bias, mean, inverse, running_mean, running_variance, d_weight, d_bias;
    test::EndingMemory workspace;

    /// As they are stored.
    struct
    {
        Reals x, residual, weight, bias, mean, inverse, running_mean, running_variance;
    } values;

    std::string name() const;
    /// Elements from one row of x to the next.
    std::size_t x_stride() const
    {
        return spec.x_stride == 0 ? channels : static_cast<std::size_t>(spec.x_stride);
    }

private:
    void expect(const char* what, const Reals& got, const Reals& right, const Reals& bound) const
    {
        expect_near(name(), what, got, right, bound);
    }
    Real weight_of(std::size_t c) const { return options.weight ? values.weight[c] : 1; }
    Real bias_of(std::size_t c) const { return options.bias ? values.bias[c] : 0; }
    Real activated(Real z) const;
    Real derivative(Real z) const;
    /// How near z is to a place where the derivative jumps.
    Real to_jump(Real z) const;

    Real u, u_stored;
    /// Additions, one after the other, at most: of a thread's rows (the tiling has at most eight
    /// for such sizes), of a block's threads, of ranges.
    Real additions() const { return static_cast<Real>(std::min<std::size_t>(rows, 264)) + 14; }
};

/// Inference, forward and backward.
inline void check(const BatchNormSpec& spec, const Options& options = {})
{
    {
        BatchNorm b(spec, options);
        b.check_inference();
    }
    BatchNorm b(spec, options);
    b.check_forward();
    b.check_backward();
}

inline BatchNormSpec
spec_of(DataType type, long_index_t rows, long_index_t channels, std::size_t alignment = 16)
{
    return {.type = type, .rows = rows, .channels = channels, .alignment = alignment};
}

} // namespace ck::batch_norm_test
