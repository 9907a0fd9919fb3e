#pragma once
// Problems that are matrix products: 1x1 without stride and padding, with tensors that are matrices
// of pixels by channels, or of channels by pixels in each image.
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

#include <string>

namespace ck::tensor_operation::device {

/// Whether filters have one tap, applied at every pixel.
inline Support check_one_tap(const ConvProblem& p)
{
    for(std::size_t i = 0; i < 3; ++i)
        if(p.filter[i] != 1 || p.stride[i] != 1 || p.pad_low[i] != 0 || p.pad_high[i] != 0)
            return refused([&] {
                return std::string("along ") + "DHW"[i] + " the filter has " +
                       std::to_string(p.filter[i]) + " taps, stride " +
                       std::to_string(p.stride[i]) + " and padding " +
                       std::to_string(p.pad_low[i]) + " and " + std::to_string(p.pad_high[i]) +
                       ", but this kernel is for one tap, stride 1 and no padding";
            });
    return {};
}

/// Whether each sum has at most `most` channels.
template <class Direction>
Support check_depth(const ConvProblem& p, long_index_t most)
{
    const long_index_t k = Direction::reduction_channels(p);
    return k <= most ? Support{} : refused([&] {
        return "the sum is over " + std::to_string(k) +
               " channels, but this kernel holds at most " + std::to_string(most);
    });
}

/// The names of X and Y in a direction, "dX and Y".
template <class Direction>
std::string names_of_pixels()
{
    const auto name = [](Role role) {
        return std::string(Direction::a == role   ? Direction::a_name
                           : Direction::b == role ? Direction::b_name
                                                  : Direction::c_name);
    };
    return name(Role::input) + " and " + name(Role::output);
}

/// Whether the pixels of X and Y (or of their gradients) are evenly spaced across all images.
template <class Direction>
Support check_even_pixels(const ConvProblem& p)
{
    const TensorLengths y = p.output_lengths(); // Y has as many pixels as X
    if(y[1] * y[3] * y[4] * y[5] > 1 &&
       (pixel_stride(p, Role::input, 1) == 0 || pixel_stride(p, Role::output, 1) == 0))
        return refused([&] {
            return "this kernel is for pixels that are evenly spaced in " +
                   names_of_pixels<Direction>();
        });
    return {};
}

/// Whether each channel of an image stores its pixels without gaps (channels first).
inline bool is_channels_first(const Spatial& lengths, const TensorStrides& strides)
{
    long_index_t next = 1;
    for(const std::size_t dim : {2u, 1u, 0u}) // w h d
    {
        if(lengths[dim] > 1 && strides[3 + dim] != next)
            return false;
        next *= lengths[dim];
    }
    return true;
}

/// The same for X and Y (or their gradients); says why not.
template <class Direction>
Support check_channels_first(const ConvProblem& p)
{
    return is_channels_first(p.input, p.input_strides) &&
                   is_channels_first(p.output(), p.output_strides)
               ? Support{}
               : refused([&] {
                     return "this kernel is for channels whose pixels follow each other in " +
                            names_of_pixels<Direction>();
                 });
}

/// Pixels per image, for 1x1 without stride and padding.
inline long_index_t pixels_of_image(const ConvProblem& p)
{
    return p.input[0] * p.input[1] * p.input[2]; // Y has the same
}

/// Whether a tensor of planes can be accessed in vectors of pixels.
inline Support check_pixel_vectors(const ConvProblem& p,
                                   Role role,
                                   const char* name,
                                   const void* address,
                                   index_t vector,
                                   index_t element_bytes)
{
    TensorLengths lengths = lengths_of(p, role);
    TensorStrides strides = strides_of(p, role);
    lengths[3] = lengths[4] = 1;
    lengths[5]              = pixels_of_image(p);
    strides[5]              = 1;
    return check_vectors(
        name, "the number of pixels", lengths, strides, 5, vector, element_bytes, address);
}

/// Limits the row tiles so that all blocks are resident at once and process several tiles each.
inline void keep_blocks(grid::TileMap& tiles, long_index_t room)
{
    const index_t row_tiles   = tiles.row_tiles.value;
    tiles.row_tiles           = make_divisor(1);
    const long_index_t others = math::max(tiles.size(), long_index_t{1});
    tiles.row_tiles           = make_divisor(static_cast<index_t>(
        math::min(long_index_t{row_tiles}, math::max(room / others, long_index_t{1}))));
}

} // namespace ck::tensor_operation::device
