#pragma once
// Batch norm for training code: statistics, scale, residual and activation in one call.
//
//   ck::BatchNormSpec spec{.type = ck::DataType::bf16, .rows = 64 * 56 * 56, .channels = 256,
//                          .activation = ck::BatchNormActivation::relu};
//   ck::BatchNormPlan plan(spec); // throws ck::Refused
//   plan.forward({.x = x, .weight = weight, .bias = bias, .y = y, .mean = mean,
//                 .inverse_deviation = inverse_deviation, .workspace = workspace});
//
// Tensors are dense matrices of [rows][channels]. N images with channels last have N * pixels rows.
// docs/batch_norm.md explains the interface. Link composable_kernel::conv.
#include "ck/conv.hpp"

namespace ck {

/// The function applied to z: see BatchNormSpec. At kinks, derivatives are the same as PyTorch's.
enum class BatchNormActivation
{
    none,
    relu,
    silu,      ///< z / (1 + exp(-z))
    clamp,     ///< z limited to [BatchNormSpec::least, BatchNormSpec::most]
    hard_swish ///< z min(max(z + 3, 0), 6) / 6
};

/// z = (x - mean) * inverse_deviation * weight + bias (+ residual); y = activation(z)
struct BatchNormSpec
{
    /// The type of x, residual, y and their gradients: f64, f32, f16 or bf16.
    DataType type = DataType::f32;
    /// Number of images times pixels; forward needs at least two.
    long_index_t rows = 0;
    /// Number of channels, from 1 to 2^31 - 1.
    long_index_t channels = 0;
    /// The function applied to z.
    BatchNormActivation activation = BatchNormActivation::none;
    /// The lower limit of BatchNormActivation::clamp.
    double least = 0;
    /// The upper limit of BatchNormActivation::clamp.
    double most = 0;
    /// Whether a residual is added before the activation; only with none, relu and clamp.
    bool residual = false;
    /// Added to the variance.
    double epsilon = 1e-5;
    /// Alignment of x, residual, y and their gradients in bytes: a power of two, from the size of
    /// an element to 16. Smaller values are slower.
    std::size_t alignment = 16;
    /// Elements from one row of x to the next, at least `channels`; 0: as many as channels. x may
    /// be the first channels of a wider tensor, but only in inference.
    long_index_t x_stride = 0;

    /// Whether all fields are the same.
    bool operator==(const BatchNormSpec&) const = default;
};

/// Memory on the current device. weight, bias, d_weight, d_bias, mean, inverse_deviation,
/// running_mean and running_variance have `channels` values of float, or of double if the type is
/// f64. The others are [rows][channels]. A result may share the address of x, residual or dy,
/// except that y must not share x's if backward needs x, or if rows of x are longer than y's.
struct BatchNormTensors
{
    const void* x        = nullptr;    ///< read
    const void* residual = nullptr;    ///< forward, inference: read
    const void* weight   = nullptr;    ///< read; null: 1
    const void* bias     = nullptr;    ///< read; null: 0
    void* y              = nullptr;    ///< forward, inference: written; backward: read, if there
                                       ///< are a residual and an activation
    void* mean              = nullptr; ///< forward: written; backward: read
    void* inverse_deviation = nullptr; ///< as mean: 1 / sqrt(variance + epsilon)
    void* running_mean      = nullptr; ///< forward: updated, if not null; inference: read
    void* running_variance  = nullptr; ///< as running_mean: unbiased, divided by rows - 1
    const void* dy          = nullptr; ///< backward: read
    void* dx                = nullptr; ///< backward: written
    void* d_residual        = nullptr; ///< backward: written, if not null
    void* d_weight          = nullptr; ///< backward: written, if not null
    void* d_bias            = nullptr; ///< backward: written, if not null
    double momentum         = 0.1;     ///< running = (1 - momentum) running + momentum batch's
    void* workspace         = nullptr; ///< workspace_size() bytes, aligned to 16 bytes
    void* stream            = nullptr; ///< hipStream_t or cudaStream_t; null: the default stream
};

/// A spec, ready to run. Sums have a fixed order: equal calls give equal bits.
class BatchNormPlan
{
public:
    /// Throws Refused if the spec breaks a rule.
    explicit BatchNormPlan(const BatchNormSpec& spec);

    /// The spec that the plan was made from.
    const BatchNormSpec& spec() const { return spec_; }
    /// Bytes of workspace that forward and backward need (the larger); inference needs none.
    std::size_t workspace_size() const { return workspace_; }

    /// Computes y from x, with the mean and the variance of these rows. Enqueues its launches on
    /// the stream and returns, as the two functions below do; can be captured into a graph. Throws
    /// Refused if a tensor is missing or not aligned.
    void forward(const BatchNormTensors& tensors) const;
    /// Computes the gradients from dy, x, and what forward wrote. Throws Refused likewise.
    void backward(const BatchNormTensors& tensors) const;
    /// Computes y from x, with the running mean and variance. Throws Refused likewise.
    void inference(const BatchNormTensors& tensors) const;

private:
    BatchNormSpec spec_;
    std::size_t workspace_ = 0;
};

} // namespace ck
