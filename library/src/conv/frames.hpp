#pragma once
// The frames of a tensor: slices along its outermost dimension, each contiguous, and copies of
// them.
#include "ck/conv.hpp"
#include "ck/host_utility/runtime.hpp"

#include <cstddef>

namespace ck::conv {

/// Where the frames of a tensor are. A row is a sequence of frames, contiguous: those of an image
/// if the channels are within the frames, otherwise those of one channel of an image.
struct Frames
{
    std::size_t frame_bytes; ///< bytes of a frame in one row
    long_index_t images, rows;
    std::size_t image_bytes; ///< from one image to the next
    std::size_t row_bytes;   ///< from one row of an image to the next

    /// Bytes from the tensor's begin to a frame.
    std::size_t at(long_index_t frame) const
    {
        return static_cast<std::size_t>(frame) * frame_bytes;
    }
};

/// Strides of a contiguous tensor, in the order of Strides. channels: of one group. spatial: the
/// lengths of [D,] [H,] W.
Strides packed_strides(bool channels_last,
                       long_index_t groups,
                       long_index_t channels,
                       const Extents& spatial);

/// Copies `count` frames on the stream. to, from: where the first of them is in the first row.
void copy_frames(const Frames& of_to,
                 std::byte* to,
                 const Frames& of_from,
                 const std::byte* from,
                 long_index_t count,
                 hipStream_t stream);

} // namespace ck::conv
