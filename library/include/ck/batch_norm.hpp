#pragma once
// Batch norm for training code: statistics, scale, residual and activation in one call.
//
//   ck::BatchNormSpec spec{.type = ck::DataType::bf16, .rows = 64 * 56 * 56, .channels = 256,
//                          .activation = ck::BatchNormActivation::relu};
//   ck::BatchNormPlan plan(spec); // throws ck::Refused
//   plan.forward({.x = x, .weight = weight, .bias = bias, .y = y, .mean = mean,
//                 .inverse_deviation = inverse_deviation, .workspace = workspace});
//
// Tensors are matrices of [rows][channels] without gaps: N images, channels last, have N * pixels
// rows. docs/batch_norm.md explains it. Link composable_kernel::conv.
#include "ck/conv.hpp"

namespace ck {

/// The function applied to z: see BatchNormSpec. Derivatives where there is none are PyTorch's.
enum class BatchNormActivation
{
    none,
    relu,
    silu,      ///< z / (1 + exp(-z))
    clamp,     ///< to BatchNormSpec::least and most
    hard_swish ///< z min(max(z + 3, 0), 6) / 6
};

/// z = (x - mean) * inverse_deviation * weight + bias (+ residual); y = activation(z)
struct BatchNormSpec
{
    /// Of x, residual, y and of their gradients: f64, f32, f16 or bf16.
    DataType type = DataType::f32;
    /// Images times pixels; forward needs at least two.
    long_index_t rows = 0;
    /// From 1 to 2^31 - 1.
    long_index_t channels = 0;
    /// The function.
    BatchNormActivation activation = BatchNormActivation::none;
    /// Of BatchNormActivation::clamp: the least result.
    double least = 0;
    /// Of BatchNormActivation::clamp: the largest result.
    double most = 0;
    /// Whether a tensor is added before the activation; only with none, relu and clamp.
    bool residual = false;
    /// Added to the variance.
    double epsilon = 1e-5;
    /// Of the addresses of x, residual, y and of their gradients, in bytes: a power of two, from
    /// the size of an element to 16. Less is slower.
    std::size_t alignment = 16;

    /// Whether all fields are the same.
    bool operator==(const BatchNormSpec&) const = default;
};

/// Memory on the current device. `channels` values of float, or of double where the type is f64:
/// weight, bias, d_weight, d_bias, mean, inverse_deviation, running_mean, running_variance. The
/// others are [rows][channels]. A result may be in the place of x, residual or dy, at the same
/// address, but y, where backward needs x, must not.
struct BatchNormTensors
{
    const void* x        = nullptr;    ///< read
    const void* residual = nullptr;    ///< forward, inference: read
    const void* weight   = nullptr;    ///< read; null: 1
    const void* bias     = nullptr;    ///< read; null: 0
    void* y              = nullptr;    ///< forward, inference: written. backward: read, where there
                                       ///< are a residual and an activation
    void* mean              = nullptr; ///< forward: written; backward: read
    void* inverse_deviation = nullptr; ///< the same: 1 / sqrt(variance + epsilon)
    void* running_mean      = nullptr; ///< forward: updated, if not null; inference: read
    void* running_variance  = nullptr; ///< the same; of rows - 1, not of rows
    const void* dy          = nullptr; ///< backward: read
    void* dx                = nullptr; ///< backward: written
    void* d_residual        = nullptr; ///< backward: written, if not null
    void* d_weight          = nullptr; ///< backward: written, if not null
    void* d_bias            = nullptr; ///< backward: written, if not null
    double momentum         = 0.1;     ///< running = (1 - momentum) running + momentum batch's
    void* workspace         = nullptr; ///< of workspace_size() bytes, at a multiple of 16
    void* stream            = nullptr; ///< hipStream_t or cudaStream_t; null: the default stream
};

/// How a spec is computed. Sums are in a fixed order: the same call has the same bits.
class BatchNormPlan
{
public:
    /// Throws Refused if the spec breaks a rule.
    explicit BatchNormPlan(const BatchNormSpec& spec);

    /// What the plan was made from.
    const BatchNormSpec& spec() const { return spec_; }
    /// The bytes that forward and backward need, whichever is more; inference needs none.
    std::size_t workspace_size() const { return workspace_; }

    /// y from x, with the mean and the variance of these rows. Puts the launches on the stream and
    /// returns, as the two below do; can be captured into a graph. Throws Refused if a tensor is
    /// missing or not aligned.
    void forward(const BatchNormTensors& tensors) const;
    /// The gradients, from dy, x, and what forward wrote. Throws Refused likewise.
    void backward(const BatchNormTensors& tensors) const;
    /// y from x, with the running mean and variance. Throws Refused likewise.
    void inference(const BatchNormTensors& tensors) const;

private:
    BatchNormSpec spec_;
    std::size_t workspace_ = 0;
};

} // namespace ck
