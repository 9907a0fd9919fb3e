#pragma once
// Which elements of a convolution's tensors meet in a product, by the definition.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <sstream>
#include <string>

namespace ck::test {

using tensor_operation::device::lengths_of;
using tensor_operation::device::Role;
using tensor_operation::device::strides_of;

/// What becomes of an element of an operand in an element of the result.
enum class Meeting
{
    none,    ///< nothing: of another group, image or channel, or no tap leads there
    padding, ///< it meets a pixel outside the other operand, which the definition skips
    product  ///< it is a factor of one of the products
};

/// Element `number` of a tensor of these lengths, the last dimension fastest.
inline TensorLengths index_of(long_index_t number, const TensorLengths& lengths)
{
    TensorLengths index{};
    for(std::size_t i = 6; i-- > 0;)
    {
        index[i] = number % lengths[i];
        number /= lengths[i];
    }
    return index;
}
inline std::size_t offset_of(const TensorLengths& index, const TensorStrides& strides)
{
    long_index_t sum = 0;
    for(std::size_t i = 0; i < 6; ++i)
        sum += index[i] * strides[i];
    return static_cast<std::size_t>(sum);
}

/// What element `e` of the operand does to element `r` of the result. Of X, W and Y each is one;
/// where the third is, follows from
///   input = output * stride + tap * dilation - pad_low.
inline Meeting meeting(
    const ConvProblem& p, Role operand, const TensorLengths& e, Role result, const TensorLengths& r)
{
    const auto of = [&](Role role) { return role == operand ? &e : role == result ? &r : nullptr; };
    const TensorLengths *x = of(Role::input), *w = of(Role::filter), *y = of(Role::output);
    if(e[0] != r[0] || (x && y && (*x)[1] != (*y)[1]) || (w && y && (*w)[1] != (*y)[2]) ||
       (x && w && (*x)[2] != (*w)[2]))
        return Meeting::none;
    bool inside = true;
    for(std::size_t d = 0; d < 3; ++d)
    {
        const long_index_t s = p.stride[d], t = p.dilation[d], pad = p.pad_low[d];
        const auto at = [&](const TensorLengths* i) { return (*i)[3 + d]; };
        // `steps` of `step` lead to the place, which is one of `length`.
        const long_index_t steps  = !x   ? at(y) * s + at(w) * t - pad
                                    : !w ? at(x) + pad - at(y) * s
                                         : at(x) + pad - at(w) * t,
                           step   = !x   ? 1
                                    : !w ? t
                                         : s,
                           length = !x   ? p.input[d]
                                    : !w ? p.filter[d]
                                         : p.output()[d];
        if(steps % step != 0)
            return Meeting::none;
        const long_index_t place = steps / step;
        if(place >= 0 && place < length)
            continue;
        if(!w) // this tap does not exist
            return Meeting::none;
        inside = false;
    }
    return inside ? Meeting::product : Meeting::padding;
}

inline std::string text(const ConvProblem& p)
{
    std::ostringstream s;
    s << p.rank << "D G " << p.groups << " N " << p.batch << " K " << p.out_channels << " C "
      << p.in_channels;
    for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
        s << " | filter " << p.filter[i] << " input " << p.input[i] << " stride " << p.stride[i]
          << " dilation " << p.dilation[i] << " pads " << p.pad_low[i] << ' ' << p.pad_high[i];
    return s.str();
}

} // namespace ck::test
