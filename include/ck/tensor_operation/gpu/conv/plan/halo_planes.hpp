#pragma once
// The tensor maps of halo tiles (operator_transform/halo_tiles.hpp): one for each plane, that is,
// for every s-th pixel of the windows.
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

namespace ck::tensor_operation::device {

/// Halo tiles of `channels` channels of the plane whose first pixel is `first`. Adjacent pixels in
/// one line count as one pixel with the channels of all. base: address of the tensor in `role`.
inline arch::TensorBox plane_box(const ConvProblem& p,
                                 Role role,
                                 const void* base,
                                 const HaloTiles& halo_tiles,
                                 index_t channels,
                                 index_t element_bytes,
                                 const index_t (&first)[3])
{
    const index_t pixels = halo_tiles.w_lines;
    arch::TensorBox box  = whole_tensor(p, role, base, 3, channels * pixels, element_bytes);
    if(pixels > 1)
    {
        box.length[0] *= pixels;
        box.length[1] /= pixels;
        box.stride[1] *= pixels;
    }
    long_index_t offset = 0;
    for(int i = 0; i < 3; ++i)
    {
        const index_t step = halo_tiles.step[i];
        if(first[i] < box.length[i + 1]) // otherwise nobody reads it, see avoid_empty_planes()
        {
            offset += first[i] * box.stride[i + 1];
            box.length[i + 1] =
                math::integer_divide_ceil(box.length[i + 1] - first[i], long_index_t{step});
        }
        box.stride[i + 1] *= step;
    }
    box.base = static_cast<const char*>(box.base) + offset * box.element_bytes;
    for(int i = 0; i < 4; ++i)
        box.box[i] = halo_tiles.halo[i] / (i == 0 ? pixels : 1);
    return box;
}

/// Phases whose plane has no pixels read far outside another plane, and so get zeros.
inline void avoid_empty_planes(HaloTiles& halo_tiles, const ConvProblem& p, Role role)
{
    for(HaloTiles::TapGroup& tap_group : halo_tiles.tap_group)
        for(int i = 0, rest = tap_group.plane; i < 3; rest /= halo_tiles.step[i++])
            if(rest % halo_tiles.step[i] >= lengths_of(p, role)[5 - static_cast<std::size_t>(i)])
                tap_group.first[i] = 1 << 30;
}

/// Makes the maps of all planes. No halo tile may have an empty plane.
inline void make_plane_maps(arch::TensorMap (&maps)[HaloTiles::most_planes],
                            const ConvProblem& p,
                            Role role,
                            const void* base,
                            const HaloTiles& halo_tiles,
                            index_t channels,
                            index_t element_bytes = 2)
{
    const auto& step = halo_tiles.step;
    for(index_t plane = 0; plane < step[0] * step[1] * step[2]; ++plane)
        make_map(
            maps[plane],
            plane_box(p,
                      role,
                      base,
                      halo_tiles,
                      channels,
                      element_bytes,
                      {plane % step[0], plane / step[0] % step[1], plane / step[0] / step[1]}));
}

} // namespace ck::tensor_operation::device
