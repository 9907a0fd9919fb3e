#pragma once
// Max pooling of channels-last tensors.
//
//   ck::MaxPoolSpec spec{.type = ck::DataType::bf16, .images = 64, .channels = 64,
//                        .input = {1, 112, 112}, .window = {1, 3, 3}, .strides = {1, 2, 2},
//                        .pads = {0, 1, 1}, .output = {1, 56, 56}};
//   ck::MaxPoolPlan plan(spec); // throws ck::Refused
//   plan.forward({.x = x, .y = y});
//
// x is [images][input][channels], y is [images][output][channels]. docs/max_pool.md explains the
// interface. Link composable_kernel::conv.
#include "ck/conv.hpp"

#include <array>

namespace ck {

/// The window of output o begins at pixel o * stride - pad, and has a tap at every dilation-th
/// pixel. Taps outside the input do not count.
struct MaxPoolSpec
{
    /// Depth, height and width in pixels. Images have depth 1, sequences have height 1, too.
    using Lengths = std::array<long_index_t, 3>;

    /// The type of x, y and their gradients: f64, f32, f16 or bf16.
    DataType type = DataType::f32;
    /// Number of images.
    long_index_t images = 0;
    /// Number of channels.
    long_index_t channels = 0;
    Lengths input{1, 1, 1};     ///< sizes of x
    Lengths window{1, 1, 1};    ///< taps of a window
    Lengths strides{1, 1, 1};   ///< from one window to the next
    Lengths pads{0, 0, 0};      ///< pixels before the input at which the first window begins
    Lengths dilations{1, 1, 1}; ///< from one tap to the next
    Lengths output{1, 1, 1};    ///< sizes of y: each window must have a tap in the input
    /// Alignment of x, y and their gradients in bytes: a power of two, from the size of an element
    /// to 16. Smaller values are slower.
    std::size_t alignment = 16;

    /// Whether all fields are the same.
    bool operator==(const MaxPoolSpec&) const = default;
};

/// Memory on the current device.
struct MaxPoolTensors
{
    const void* x = nullptr; ///< forward: read
    void* y       = nullptr; ///< forward: written
    /// A byte for each element of y, aligned to 8 bytes. Forward: written, if not null; backward:
    /// read. It is the number of the tap that has the largest x, of at most 256 in a window.
    void* taps     = nullptr;
    const void* dy = nullptr; ///< backward: read
    void* dx       = nullptr; ///< backward: written
    void* stream   = nullptr; ///< hipStream_t or cudaStream_t; null: the default stream
};

/// A spec, ready to run. Needs no workspace.
class MaxPoolPlan
{
public:
    /// Throws Refused if the spec breaks a rule.
    explicit MaxPoolPlan(const MaxPoolSpec& spec);

    /// The spec that the plan was made from.
    const MaxPoolSpec& spec() const { return spec_; }

    /// Computes y, the largest x of each window; NaN if there is a NaN. If several taps have the
    /// largest x, the first one counts. Enqueues a launch on the stream and returns, as backward
    /// does; can be captured into a graph. Throws Refused if a tensor is missing or not aligned.
    void forward(const MaxPoolTensors& tensors) const;
    /// Computes dx from dy and the taps that forward wrote: an element of x gets the sum of dy of
    /// the windows in which it is the largest, in a fixed order. Throws Refused likewise.
    void backward(const MaxPoolTensors& tensors) const;

private:
    MaxPoolSpec spec_;
};

} // namespace ck
