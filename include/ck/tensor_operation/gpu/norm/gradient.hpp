#pragma once
// The gradient of z = (x - mean) * scale + shift (+ residual): dy times the derivative of the
// activation at z.
#include "ck/tensor_operation/gpu/norm/activation.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

namespace ck::norm {

/// has_y: whether y may be given.
template <class T, class Acc, bool has_y>
struct Gradient
{
    const T* dy;
    /// Null: z is recomputed. Otherwise y stands in for z, with limits adapted to it: the
    /// derivative of clamp is 0 where y equals a limit.
    const T* y;
    Activation<Acc> activation;

    template <index_t vector>
    CK_DEVICE CK_INLINE void dz(Acc (&r)[vector],
                                const Vector<T, vector>& of_dy,
                                const Vector<T, vector>& of_y,
                                const Acc (&from_mean)[vector],
                                const Acc (&scale)[vector],
                                const Acc (&shift)[vector]) const
    {
        repeat<vector>([&](index_t e) { r[e] = type_convert<Acc>(of_dy[e]); });
        if(activation.function == Function::none)
            return;
        Acc z[vector];
        if(has_y && y != nullptr)
            repeat<vector>([&](index_t e) { z[e] = type_convert<Acc>(of_y[e]); });
        else
            repeat<vector>([&](index_t e) { z[e] = from_mean[e] * scale[e] + shift[e]; });
        activation.backward(r, z);
    }
};

} // namespace ck::norm
