#pragma once
// Group norm with a residual and an activation: statistics, scale, residual and activation in one
// call. Also instance norm, and layer norm and RMS norm over the channels of each pixel.
//
//   ck::GroupNormSpec spec{.type = ck::DataType::bf16, .images = 1, .pixels = 512 * 512,
//                          .channels = 256, .groups = 32,
//                          .activation = ck::GroupNormActivation::silu};
//   ck::GroupNormPlan plan(spec); // throws ck::Refused
//   plan.forward({.x = x, .weight = weight, .bias = bias, .y = y, .mean = mean,
//                 .inverse_deviation = inverse_deviation, .workspace = workspace});
//
// Tensors are dense: [images][pixels][channels]. docs/group_norm.md explains the interface. Link
// composable_kernel::conv.
#include "ck/conv.hpp"

namespace ck {

/// Which values share statistics, and what these are.
enum class NormKind
{
    group, ///< mean and deviation of the pixels of an image, in a group of channels
    layer, ///< mean and deviation of the channels of a pixel
    rms,   ///< as layer, but with 0 as the mean: the variance is the mean square
    /// As rms, but the deviation is max(|x|, epsilon) / sqrt(channels), where |x| is the L2 norm of
    /// a pixel. The result is torch.nn.functional.normalize times sqrt(channels).
    l2
};

/// The function applied to z: see GroupNormSpec. The derivatives of relu and leaky_relu are 1 where
/// z > 0, elsewhere 0 and the slope.
enum class GroupNormActivation
{
    none,
    relu,
    silu,      ///< z / (1 + exp(-z))
    leaky_relu ///< z where z > 0, elsewhere slope * z
};

/// z = (x - mean) * inverse_deviation * weight + bias (+ residual); y = activation(z). Mean and
/// deviation are those of the pixels of one image in one group of channels, or of one pixel: see
/// NormKind.
struct GroupNormSpec
{
    /// The type of x, residual, y and their gradients: f64, f32, f16 or bf16.
    DataType type = DataType::f32;
    /// Number of images. If the kind is `group`, images times channels is at most 2^30.
    long_index_t images = 1;
    /// Number of pixels of an image.
    long_index_t pixels = 0;
    /// Number of channels. If the kind is not `group`, at most 2^30.
    long_index_t channels = 0;
    /// Number of groups, which divides channels: each has `channels / groups` neighbouring
    /// channels. 0 if the kind is not `group`.
    long_index_t groups = 0;
    /// The function applied to z.
    GroupNormActivation activation = GroupNormActivation::none;
    /// Whether weight, bias, d_weight and d_bias have the type of x instead of float.
    bool parameters_as_x = false;
    /// Added to the variance. If the kind is l2, the least L2 norm instead.
    double epsilon = 1e-5;
    /// Alignment of x, residual, y and their gradients in bytes: a power of two, from the size of
    /// an element to 16. Smaller values are slower.
    std::size_t alignment = 16;
    /// The slope of the activation leaky_relu: finite. Other activations require the default.
    double slope = 0.01;
    /// Which values share statistics.
    NormKind kind = NormKind::group;
    /// Whether a residual is added before the activation: only of the kind `group`, and before
    /// none, relu, and leaky_relu whose slope is at least 0.
    bool residual = false;

    /// Whether all fields are the same.
    bool operator==(const GroupNormSpec&) const = default;
};

/// Memory on the current device.
///
///   x, residual, y,                   [images][pixels][channels], of the spec's type
///   dy, dx, d_residual
///   mean, inverse_deviation           [images][groups], or [images][pixels] if the kind is not
///                                     `group`: float, or double if the type is f64
///   weight, bias, d_weight, d_bias    [channels], of the same type as mean, or as x with
///                                     GroupNormSpec::parameters_as_x
///
/// A result may share the address of x, residual or dy, except that y must not share x's if
/// backward needs x.
struct GroupNormTensors
{
    const void* x        = nullptr; ///< read
    const void* residual = nullptr; ///< forward: read
    const void* weight   = nullptr; ///< read; null: 1
    const void* bias     = nullptr; ///< read; null: 0
    void* y              = nullptr; ///< forward: written; backward: read, if there are a residual
                                    ///< and an activation
    void* mean = nullptr;           ///< forward: written; backward: read; unused by rms, l2
    void* inverse_deviation =
        nullptr;                ///< forward: written; backward: read; 1 / sqrt(variance + epsilon)
    const void* dy   = nullptr; ///< backward: read
    void* dx         = nullptr; ///< backward: written
    void* d_residual = nullptr; ///< backward: written, if not null
    void* d_weight   = nullptr; ///< backward: written, if not null
    void* d_bias     = nullptr; ///< backward: written, if not null
    void* workspace  = nullptr; ///< workspace_size() bytes, aligned to 16 bytes; forward
                                ///< uses it only if the kind is `group`
    void* stream = nullptr;     ///< hipStream_t or cudaStream_t; null: the default stream
};

/// A spec, ready to run. Sums have a fixed order: equal calls give equal bits.
class GroupNormPlan
{
public:
    /// Throws Refused if the spec breaks a rule.
    explicit GroupNormPlan(const GroupNormSpec& spec);

    /// The spec that the plan was made from.
    const GroupNormSpec& spec() const { return spec_; }
    /// Bytes of workspace that forward and backward need (the larger).
    std::size_t workspace_size() const { return workspace_; }

    /// Computes y from x. Enqueues its launches on the stream and returns, as backward does; can be
    /// captured into a graph. Throws Refused if a tensor is missing or not aligned.
    void forward(const GroupNormTensors& tensors) const;
    /// Computes the gradients from dy, x, and what forward wrote. Throws Refused likewise.
    void backward(const GroupNormTensors& tensors) const;

private:
    GroupNormSpec spec_;
    std::size_t workspace_ = 0;
};

} // namespace ck
