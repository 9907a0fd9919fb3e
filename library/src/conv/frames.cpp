// Copies of frames, by the runtime's copies of rows.
#include "conv/frames.hpp"

#include "ck/host_utility/hip_check_error.hpp"

namespace ck::conv {

namespace {

/// Rows may be this far apart in one call of the runtime.
constexpr std::size_t most_pitch = (std::size_t{1} << 31) - 1;

void copy_rows(std::byte* to,
               std::size_t to_pitch,
               const std::byte* from,
               std::size_t from_pitch,
               std::size_t width,
               std::size_t rows,
               hipStream_t stream)
{
    if(to_pitch == width && from_pitch == width)
    {
        width *= rows;
        rows = 1;
    }
    if(rows > 1 && to_pitch <= most_pitch && from_pitch <= most_pitch)
    {
        HIP_CHECK_ERROR(hipMemcpy2DAsync(
            to, to_pitch, from, from_pitch, width, rows, hipMemcpyDeviceToDevice, stream));
        return;
    }
    for(std::size_t row = 0; row < rows; ++row)
        HIP_CHECK_ERROR(hipMemcpyAsync(
            to + row * to_pitch, from + row * from_pitch, width, hipMemcpyDeviceToDevice, stream));
}

} // namespace

Strides packed_strides(bool channels_last,
                       long_index_t groups,
                       long_index_t channels,
                       const Extents& spatial)
{
    long_index_t pixels = 1;
    for(const long_index_t length : spatial)
        pixels *= length;
    Strides s{channels_last ? channels : channels * pixels,
              groups * channels * pixels,
              channels_last ? 1 : pixels};
    for(std::size_t i = 0; i < spatial.size(); ++i)
    {
        long_index_t inner = channels_last ? groups * channels : 1;
        for(std::size_t j = i + 1; j < spatial.size(); ++j)
            inner *= spatial[j];
        s.push_back(inner);
    }
    return s;
}

void copy_frames(const Frames& of_to,
                 std::byte* to,
                 const Frames& of_from,
                 const std::byte* from,
                 long_index_t count,
                 hipStream_t stream)
{
    const auto rows         = static_cast<std::size_t>(of_to.rows),
               images       = static_cast<std::size_t>(of_to.images);
    const std::size_t width = static_cast<std::size_t>(count) * of_to.frame_bytes;
    if(width * rows * images == 0)
        return;
    if(rows == 1) // images are rows
        return copy_rows(to, of_to.image_bytes, from, of_from.image_bytes, width, images, stream);
    if(of_to.image_bytes == rows * of_to.row_bytes &&
       of_from.image_bytes == rows * of_from.row_bytes)
        return copy_rows(
            to, of_to.row_bytes, from, of_from.row_bytes, width, rows * images, stream);
    for(std::size_t image = 0; image < images; ++image)
        copy_rows(to + image * of_to.image_bytes,
                  of_to.row_bytes,
                  from + image * of_from.image_bytes,
                  of_from.row_bytes,
                  width,
                  rows,
                  stream);
}

} // namespace ck::conv
