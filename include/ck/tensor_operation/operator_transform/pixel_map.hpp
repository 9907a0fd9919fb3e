#pragma once
// Which pixel of A each output pixel and tap uses, along one spatial dimension.
#include "ck/tensor_description/transforms.hpp"

namespace ck {

/// Pixel i of C and filter tap t use pixel step * i + tap_step * t - pad of A.
struct PixelMap
{
    Divisor taps;
    Divisor count; ///< pixels of C
    index_t pad, step, tap_step;
};

/// A tensor [n, d, h, w, ...] as [n, tap, d, tap, h, tap, w, ...], bounds-checked in its three
/// spatial dimensions.
template <class View>
CK_HOST_DEVICE CK_INLINE constexpr auto
windows_of(const View& tensor, const PixelMap& d, const PixelMap& h, const PixelMap& w)
{
    CK_ASSUME(tensor.length[1] >= 0 && tensor.length[2] >= 0 && tensor.length[3] >= 0);
    return tensor | pad<1>(d.pad, 0) | pad<2>(h.pad, 0) | pad<3>(w.pad, 0) |
           embed<3>({w.taps, w.count}, {w.tap_step, w.step}) |
           embed<2>({h.taps, h.count}, {h.tap_step, h.step}) |
           embed<1>({d.taps, d.count}, {d.tap_step, d.step});
}

} // namespace ck
