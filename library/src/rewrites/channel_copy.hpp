#pragma once
// A tensor and its copy with contiguous channels: where elements are, and the launches that convert
// one into the other.
#include "ck/convolution/problem.hpp"

#include <cstddef>
#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// Channels that fill vectors are a multiple of this: 16 bytes, but at least 8 elements.
constexpr index_t channel_granule(index_t element_bytes) { return element_bytes == 1 ? 16 : 8; }

/// How a tensor is copied.
struct ChannelCopy
{
    std::string name;       ///< the tensor's name, such as "X"
    TensorLengths lengths;  ///< lengths of both
    TensorStrides original; ///< strides of the tensor, in elements
    TensorStrides copy;     ///< strides of the copy, in elements
    index_t element_bytes;  ///< 1, 2 or 4
    long_index_t rows;      ///< length of dimension 1 in the copy: lengths[1], or more with zeros
    long_index_t pitch;     ///< elements of the copy from one pixel, or tap, to the next
    /// Whether a pixel has the channels of all groups, [N, D, H, W, G, C]. If not, each group has
    /// its own pixels.
    bool joins_groups;

    /// A copy of X, Y or a gradient. channels: in a group of the copy, padded with zeros; more
    /// than the tensor's only without groups. With groups, pixels start at multiples of the
    /// granule.
    static ChannelCopy of_image(std::string name,
                                const TensorLengths& lengths,
                                const TensorStrides& original,
                                index_t element_bytes,
                                long_index_t channels);
    /// A copy of W or dW, [G, K, Z, Y, X, C]. rows, channels: in the copy, as above.
    static ChannelCopy of_filters(std::string name,
                                  const TensorLengths& lengths,
                                  const TensorStrides& original,
                                  index_t element_bytes,
                                  long_index_t rows,
                                  long_index_t channels);

    /// Bytes of the copy, including padding.
    std::size_t bytes() const;
};

/// Whether the tensor can be copied, or written from its copy; if not, why. tensor: its address.
Support check_copy(const ChannelCopy& c, const void* tensor);
/// Adds the launch that copies the tensor.
void copy_channels_last(const ChannelCopy& c, const void* tensor, void* copy, LaunchList& list);
/// Adds the launch that writes the tensor from its copy.
void copy_back(const ChannelCopy& c, const void* copy, void* tensor, LaunchList& list);

/// Predicted clock cycles of either launch: see predicted_time.hpp.
double predicted_copy(const ChannelCopy& c);

} // namespace ck::tensor_operation::device::instance
