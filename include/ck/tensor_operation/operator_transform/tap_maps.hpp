#pragma once
// The order in which forward and backward data visit filter taps along one spatial dimension:
// ascending in A, whose pixels a kernel loads.
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"
#include "ck/tensor_operation/operator_transform/merged_forward.hpp"

namespace ck {

/// One spatial dimension of a phase. Pixel i of the phase and tap t use pixel first + step * i +
/// tap_step * t of A and filter place filter_first + filter_step * t; the sum is stored to pixel
/// c_first + c_step * i of C.
struct TapMap
{
    Divisor taps;
    index_t count; ///< pixels of C in the phase
    index_t first, step, tap_step;
    index_t filter_first, filter_step;
    index_t c_first, c_step;
};

/// The spatial dimensions d, h and w.
struct TapMaps
{
    TapMap z, y, x;
};

/// Forward's only phase.
CK_HOST_DEVICE CK_INLINE constexpr TapMaps tap_maps(const MergedForward& f, index_t)
{
    const auto map = [](const PixelMap& w) {
        return TapMap{w.taps, w.count.value, -w.pad, w.step, w.tap_step, 0, 1, 0, 1};
    };
    const auto& [D, H, W] = f.views.dimension;
    return {map(D.x), map(H.x), map(W.x)};
}

/// A phase of backward data. Its taps move back in A, so the last tap comes first.
CK_HOST_DEVICE CK_INLINE constexpr TapMaps tap_maps(const MergedBackwardData& b, index_t phase)
{
    const auto map = [](const BackwardData::Dimension& d, const BackwardData::Residue& r) {
        const index_t last = math::max(r.taps.value - 1, 0);
        return TapMap{r.taps,
                      r.rows.value,
                      r.ho0 - d.back * last,
                      1,
                      d.back,
                      r.yt + d.tap_step.value * last,
                      -d.tap_step.value,
                      r.h0,
                      d.stride.value};
    };
    const BackwardData::Residues all = b.all.residues(phase);
    const auto& [D, H, W]            = b.all.dimension;
    return {map(D, all.d), map(H, all.h), map(W, all.w)};
}

} // namespace ck
