#pragma once
// What the launches of a norm's backward read to compute dz.
#include "ck/tensor_operation/gpu/norm/gradient.hpp"
#include "ck/utility/type_convert.hpp"

#include "norm/activations.hpp"
#include "norm/launch.hpp"

namespace ck::norm {

/// In the first launch: dy, and after a residual y, if an activation follows.
template <class T, bool has_y, class Spec, class Tensors>
Gradient<T, AccOf<T>, has_y> first_gradient(const Spec& spec, const Tensors& given)
{
    using Acc = AccOf<T>;
    Gradient<T, Acc, has_y> gradient{
        static_cast<const T*>(given.dy), nullptr, activation_of<Acc>(spec)};
    if(spec.residual && gradient.activation.function != Function::none)
    {
        gradient.y        = static_cast<const T*>(given.y);
        const auto stored = [](Acc& limit) { limit = type_convert<Acc>(type_convert<T>(limit)); };
        stored(gradient.activation.least), stored(gradient.activation.most);
    }
    return gradient;
}

/// In the last launch: d_residual, which is dz, if the first launch has stored it. Otherwise dy and
/// y, one tensor more.
template <class T, class Acc, bool has_y>
Gradient<T, Acc, has_y> last_gradient(const Gradient<T, Acc, has_y>& first, const T* d_residual)
{
    if(d_residual == nullptr)
        return first;
    return {d_residual, nullptr, {Function::none, Acc(0), Acc(0)}};
}

} // namespace ck::norm
