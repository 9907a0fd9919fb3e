#pragma once
// A tensor and a copy of it whose channels are neighbours in memory: where elements are, and the
// launch that transposes one into the other.
#include "ck/convolution/problem.hpp"

#include <cstddef>
#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// Channels that fill vectors are a multiple of so many: 16 bytes, but at least 8 elements.
constexpr index_t channel_granule(index_t element_bytes) { return element_bytes == 1 ? 16 : 8; }

/// How a tensor is copied.
struct ChannelCopy
{
    std::string name;       ///< of the tensor, "X"
    TensorLengths lengths;  ///< of both
    TensorStrides original; ///< of the tensor, elements
    TensorStrides copy;     ///< of the copy, elements
    index_t element_bytes;  ///< 1, 2 or 4
    long_index_t rows;      ///< of dimension 1 in the copy: lengths[1], or more, which are zeros
    long_index_t pitch;     ///< elements of the copy from a pixel, or tap, to the next
    /// Whether the channels of all groups are a pixel's, [N, D, H, W, G, C]. If not, each group has
    /// pixels of its own.
    bool joins_groups;

    /// A copy of X, Y or a gradient. channels: of a group in the copy, with zeros beyond the
    /// tensor's; more than these only without groups. With groups pixels begin at multiples of the
    /// granule.
    static ChannelCopy of_image(std::string name,
                                const TensorLengths& lengths,
                                const TensorStrides& original,
                                index_t element_bytes,
                                long_index_t channels);
    /// A copy of W or dW, [G, K, Z, Y, X, C]. rows, channels: of the copy, as above.
    static ChannelCopy of_filters(std::string name,
                                  const TensorLengths& lengths,
                                  const TensorStrides& original,
                                  index_t element_bytes,
                                  long_index_t rows,
                                  long_index_t channels);

    /// Bytes of the copy, padding included.
    std::size_t bytes() const;
};

/// Whether the copy can be made, or the tensor be made of it; if not, why. tensor: its address.
Support check_copy(const ChannelCopy& c, const void* tensor);
/// Adds the launch that copies the tensor.
void copy_channels_last(const ChannelCopy& c, const void* tensor, void* copy, LaunchList& list);
/// Adds the launch that writes the tensor from its copy.
void copy_back(const ChannelCopy& c, const void* copy, void* tensor, LaunchList& list);

/// How long either takes, in clock cycles: see predicted_time.hpp.
double predicted_copy(const ChannelCopy& c);

} // namespace ck::tensor_operation::device::instance
