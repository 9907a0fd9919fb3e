#pragma once
// The three computations of a convolution y = conv(x, w): each computes one of the tensors from the
// other two.

namespace ck {

/// Which tensor is computed from the other two.
enum class Direction
{
    forward,        ///< y from x and w
    backward_data,  ///< dx from dy and w
    backward_weight ///< dw from dy and x
};

/// The direction as text.
constexpr const char* name(Direction direction)
{
    switch(direction)
    {
    case Direction::forward:
        return "forward";
    case Direction::backward_data:
        return "backward data";
    case Direction::backward_weight:
        return "backward weight";
    }
    return "unknown direction";
}

} // namespace ck
