#pragma once
// Which problems are one product of matrices: 1x1 without stride and padding, of tensors that are
// matrices of pixels by channels.
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"

#include <string>

namespace ck::tensor_operation::device {

/// Whether filters have one tap that meets each pixel.
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

/// Whether the pixels of X and Y, or of their gradients, are evenly spaced, through all images.
template <class Direction>
Support check_even_pixels(const ConvProblem& p)
{
    const TensorLengths y = p.output_lengths(); // as many pixels as X has
    if(y[1] * y[3] * y[4] * y[5] > 1 &&
       (pixel_stride(p, Role::input, 1) == 0 || pixel_stride(p, Role::output, 1) == 0))
        return refused([&] {
            const auto name = [](Role role) {
                return std::string(Direction::a == role   ? Direction::a_name
                                   : Direction::b == role ? Direction::b_name
                                                          : Direction::c_name);
            };
            return "this kernel is for pixels that are evenly spaced in " + name(Role::input) +
                   " and " + name(Role::output);
        });
    return {};
}

} // namespace ck::tensor_operation::device
