#pragma once
// Which images the first-layer kernels take, and how they divide them into tiles
// (conv/kernels/first_layer/halo.hpp).
#include "ck/tensor_operation/gpu/conv/kernels/first_layer/halo.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/tile_shape_plan.hpp"

#include <string>

namespace ck::tensor_operation::device {

/// Whether there is one group of at most `most` channels. With several adjacent groups each group
/// would load a part of every line: 32 groups of 8 channels take 7 times as long as in a kernel
/// that computes them together.
inline Support check_image_channels(const ConvProblem& p, index_t most)
{
    const auto text = [](auto n) { return std::to_string(n); };
    if(p.groups > 1)
        return refused(
            [&] { return "G is " + text(p.groups) + ", but this kernel is for one group"; });
    if(p.in_channels > most)
        return refused([&] {
            return "a group has " + text(p.in_channels) +
                   " channels of X, but this kernel is for at most " + text(most);
        });
    return {};
}

/// Whether a tile of some shape has few enough pixels.
inline Support check_halo(const TileShape& shape, index_t room)
{
    return shape.width > 0 ? Support{} : refused([&] {
        return "the windows of a tile have more than " + std::to_string(room) +
               " pixels, which this kernel has no room for";
    });
}

/// Tiles of a sub-batch.
inline long_index_t
tiles_of_sub_batch(const TileShape& shape, index_t sub_batch_size, index_t batch)
{
    return math::saturating_product(shape.segments.of_image(),
                                    long_index_t{math::min(sub_batch_size, batch)});
}

/// Returns the pixels under tiles of this shape. views: of the problem.
inline grid::FirstLayerHalo first_layer_halo(const ConvProblem& p,
                                             const ConvViews& views,
                                             const TileShape& shape,
                                             std::size_t input_bytes,
                                             std::size_t output_bytes)
{
    const auto number = [](long_index_t n) { return static_cast<index_t>(n); };
    const auto axis   = [&](std::size_t i) {
        return grid::FirstLayerHalo::Axis{
            number(p.filter[i]), number(p.stride[i]), number(p.dilation[i])};
    };
    grid::FirstLayerHalo h{};
    h.geometry = window_geometry(p,
                                 image_axes,
                                 input_windows(views),
                                 p.filter_strides,
                                 Role::input,
                                 input_bytes,
                                 Role::output,
                                 output_bytes);
    shape.segments.set(h.geometry);
    h.z            = axis(0);
    h.y            = axis(1);
    h.x            = axis(2);
    h.channels     = number(p.in_channels);
    h.tile_columns = shape.width;
    h.columns      = make_divisor(number(shape.columns));
    h.rows         = make_divisor(number(shape.rows));
    h.pixels       = number(shape.pixels());
    return h;
}

} // namespace ck::tensor_operation::device
