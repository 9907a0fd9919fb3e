#pragma once
// The patches of a launch (grid/gridwise_patch_conv.hpp): which problems have them, and what they
// are.
#include "ck/tensor_operation/gpu/device/impl/tensor_boxes.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_patch_conv.hpp"

#include <string>

namespace ck::tensor_operation::device {

template <class Direction, class Kernel>
struct ConvPatches
{
    using Params    = typename Kernel::Params;
    using Transform = decltype(Params::transform);

    /// Whether there are patches of a problem whose tensors can be accessed in vectors of 16 bytes.
    /// chunks: of the batch.
    static Support check(const ConvProblem& p, index_t chunks)
    {
        const auto text = [](auto n) { return std::to_string(n); };
        if(p.groups != 1)
            return refused("G is " + text(p.groups) +
                           ", but this kernel's patches are of one group");
        if(chunks > 1)
            return refused("32-bit offsets cut the batch into " + text(chunks) +
                           " chunks, but this kernel's patches are of one");
        if(const long_index_t bytes = filter_bytes(p); bytes > Kernel::pool_bytes)
            return refused("the filters of this kernel's " + text(Kernel::columns) +
                           " columns are " + text(bytes) +
                           " bytes, but beside its patches there are " + text(Kernel::pool_bytes) +
                           " of shared memory");
        Patches patches;
        if(const char* reason = make(patches, p, Transform::make(p, 1)))
            return refused(std::string(reason) + ", for this kernel's patches");
        return {};
    }

    /// Completes the parameters of a launch on a device of `units` compute units. Throws
    /// std::runtime_error if the driver makes no maps.
    static void complete(Params& r, const ConvProblem& p, index_t units)
    {
        make(r.patches, p, r.transform);
        const index_t column_tiles = r.tiles.column_tiles.value,
                      room         = units * Kernel::min_blocks_per_unit / column_tiles;
        r.blocks       = column_tiles * math::min(r.patches.tile_count, math::max(1, room));
        r.lines        = lines(p);
        r.filter_bytes = static_cast<index_t>(filter_bytes(p));
        r.patch_bytes  = math::integer_least_multiple(r.patches.lines() * Kernel::a_bytes, 1024);
        r.stages       = math::min(Kernel::most_stages,
                             (Kernel::pool_bytes - r.filter_bytes) / Kernel::teams / r.patch_bytes);
        const auto reduction = static_cast<index_t>(Direction::reduction_channels(p));
        r.last_steps = math::integer_divide_ceil(reduction - (r.lines - 1) * Kernel::channels,
                                                 Kernel::k_per_step);
        r.row_stride =
            r.transform.class_count() > 1 ? 0 : pixel_stride(p, Direction::c, Kernel::c_bytes);
        arch::TensorBox box = whole_tensor(p, Direction::a, r.a, 3, Kernel::channels);
        for(int i = 0; i < 3; ++i)
        {
            r.taps[i]   = static_cast<index_t>(p.filter[static_cast<std::size_t>(2 - i)]);
            box.step[i] = r.patches.step[i];
        }
        for(int i = 0; i < 4; ++i)
            box.box[i] = r.patches.patch[i];
        make_map(r.a_map, box);
        make_map(r.b_map, filter_box(p, r.b, Kernel::b_line, Kernel::b_lines));
    }

private:
    static index_t lines(const ConvProblem& p)
    {
        return math::integer_divide_ceil(static_cast<index_t>(Direction::reduction_channels(p)),
                                         Kernel::channels);
    }
    static long_index_t filter_bytes(const ConvProblem& p)
    {
        return p.filter[0] * p.filter[1] * p.filter[2] * lines(p) * Kernel::slice_bytes;
    }
    static const char* make(Patches& r, const ConvProblem& p, const Transform& transform)
    {
        const index_t room = (Kernel::pool_bytes - static_cast<index_t>(filter_bytes(p))) /
                             Kernel::teams / 1024 * 1024;
        const index_t filter[3] = {static_cast<index_t>(p.filter[2]),
                                   static_cast<index_t>(p.filter[1]),
                                   static_cast<index_t>(p.filter[0])};
        return Patches::make(
            r,
            transform.class_count(),
            [&](index_t i) { return a_windows(transform, i); },
            filter,
            p.rank,
            static_cast<index_t>(p.batch),
            Kernel::units,
            room / Kernel::a_bytes);
    }
};

} // namespace ck::tensor_operation::device
