#pragma once
// Converts on a device between packed tensors and tensors with channels in blocks.
#include "ck/convolution/blocked_layout.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_blocked_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace ck::tensor_operation::device {

/// to_blocks: packed tensor to blocks, with zeros in the padding; otherwise blocks to packed
/// tensor, and the padding is not read. T has 1, 2 or 4 bytes. The tensors must not overlap.
template <class T, bool to_blocks, grid::BlockedCopyTuning tuning = grid::BlockedCopyTuning{}>
struct DeviceBlockedCopy
{
    struct Argument
    {
        BlockedLayout blocked;
        PackedStrides packed; ///< any non-negative strides
        const void* from;
        void* to;
    };

    /// Whether run() can convert it; if not, why.
    static Support supports(const Argument& a)
    {
        if(const Support s = check_blocked_layout(a.blocked); !s)
            return s;
        for(const long_index_t stride : {a.packed.outer[0],
                                         a.packed.outer[1],
                                         a.packed.outer[2],
                                         a.packed.outer[3],
                                         a.packed.channel})
            if(stride < 0)
                return refused("a stride of the packed tensor is " + std::to_string(stride) +
                               ", but must not be negative");
        const void* const in_blocks = to_blocks ? a.to : a.from;
        if(reinterpret_cast<std::uintptr_t>(in_blocks) % 16 != 0)
            return refused("the address of the blocks is not a multiple of 16 bytes");
        if(reinterpret_cast<std::uintptr_t>(to_blocks ? a.from : a.to) % sizeof(T) != 0)
            return refused("the address of the packed tensor is not a multiple of the " +
                           std::to_string(sizeof(T)) + " bytes of an element");
        const auto& [n, d, h, w] = a.blocked.lengths;
        for(const long_index_t length : std::array{a.blocked.rows, n, d, h, w, a.blocked.channels})
            if(length > std::numeric_limits<index_t>::max())
                return refused("a length is " + std::to_string(length) +
                               ", but must be less than 2^31");
        if(a.blocked.elements() > 0)
            if(const long_index_t tiles = tile(a).tiles.count;
               tiles > std::numeric_limits<index_t>::max())
                return refused("the tensor is cut into " + std::to_string(tiles) +
                               " tiles, but a launch takes fewer than 2^31");
        return {};
    }

    /// Appends the launch to `list`. Throws std::runtime_error if supports() refuses the argument
    /// or if a tensor is null.
    static void add(LaunchList& list, const Argument& a)
    {
        if(const Support s = supports(a); !s)
            throw std::runtime_error("the layout cannot be converted: " + s.reason);
        if((a.from == nullptr || a.to == nullptr) && a.blocked.elements() > 0)
            throw std::runtime_error("the address of a tensor is null, but it has elements");
        if(a.blocked.elements() == 0)
            return;
        constexpr index_t most = 16 / bytes;
        if constexpr(most > 8)
            if(a.blocked.block == 8)
                return add_chunk<8>(list, a);
        return add_chunk<most>(list, a);
    }
    /// Launches it. Returns milliseconds if `config` asks for time, else 0.
    static float run(const Argument& a, const StreamConfig& config = {})
    {
        LaunchList list;
        add(list, a);
        return list.run(config);
    }

private:
    static constexpr auto bytes = static_cast<index_t>(sizeof(T));

    /// Channels of the packed tensor that its address and strides allow to move in one vector.
    static index_t packed_vector(const Argument& a)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(to_blocks ? a.from : a.to);
        for(index_t v = math::min(a.blocked.block, 16 / bytes); v * bytes >= 4 && v > 1; v /= 2)
            if(a.packed.channel == 1 && address % static_cast<std::size_t>(v * bytes) == 0 &&
               std::all_of(a.packed.outer.begin(), a.packed.outer.end(), [&](long_index_t stride) {
                   return stride % v == 0;
               }))
                return v;
        return 1;
    }

    static grid::BlockedCopyTile tile(const Argument& a)
    {
        return grid::make_blocked_copy_tile(a.blocked, a.packed, bytes, packed_vector(a), tuning);
    }

    /// chunk: elements of a block that are moved in one vector.
    template <index_t chunk>
    static void add_chunk(LaunchList& list, const Argument& a)
    {
        const index_t vector = packed_vector(a);
        if(vector == chunk)
            return add_as<chunk, chunk>(list, a);
        if(vector == chunk / 2)
            return add_as<chunk, chunk / 2>(list, a);
        if constexpr(chunk * bytes == 16 && bytes < 4)
            if(vector == chunk / 4)
                return add_as<chunk, chunk / 4>(list, a);
        return add_as<chunk, 1>(list, a);
    }

    template <index_t chunk, index_t packed_vector>
    static void add_as(LaunchList& list, const Argument& a)
    {
        using Kernel = grid::GridwiseBlockedCopy<bytes, to_blocks, chunk, packed_vector, tuning>;
        typename Kernel::Params p{};
        if constexpr(to_blocks)
        {
            p.packed  = static_cast<decltype(p.packed)>(a.from);
            p.blocked = static_cast<decltype(p.blocked)>(a.to);
        }
        else
        {
            p.packed  = static_cast<decltype(p.packed)>(a.to);
            p.blocked = static_cast<decltype(p.blocked)>(a.from);
        }
        p.tile = tile(a);
        list.add<Kernel>(static_cast<index_t>(p.tile.tiles.count), p);
    }
};

} // namespace ck::tensor_operation::device
