#pragma once
// Conversions on a device between packed tensors and such with channels in blocks.
#include "ck/convolution/blocked_layout.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_blocked_copy.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace ck::tensor_operation::device {

/// to_blocks: from the packed tensor to blocks, whose padding becomes zeros; else back, and padding
/// is not read. T: of 1, 2 or 4 bytes. Tensors must not share memory.
template <class T, bool to_blocks>
struct DeviceBlockedCopy
{
    struct Argument
    {
        BlockedLayout blocked;
        PackedStrides packed; ///< any strides that are not negative
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
        if(const long_index_t items = a.blocked.elements() / a.blocked.block;
           items > long_index_t{64} * std::numeric_limits<index_t>::max())
            return refused("the tensor has " + std::to_string(items) +
                           " blocks of channels, but a launch takes fewer than 2^37");
        return {};
    }

    /// Milliseconds if the configuration asks for time, else 0. Throws std::runtime_error for what
    /// supports() refuses and for tensors at null.
    static float run(const Argument& a, const StreamConfig& config = {})
    {
        if(const Support s = supports(a); !s)
            throw std::runtime_error("the layout cannot be converted: " + s.reason);
        if((a.from == nullptr || a.to == nullptr) && a.blocked.elements() > 0)
            throw std::runtime_error("the address of a tensor is null, but it has elements");
        switch(a.blocked.block)
        {
        case 8:
            return launch_block<8>(a, config);
        case 16:
            return launch_block<16>(a, config);
        default:
            return launch_block<32>(a, config);
        }
    }

private:
    /// Launches the kernel with the widest accesses to the packed tensor that its address and
    /// strides allow.
    template <index_t block>
    static float launch_block(const Argument& a, const StreamConfig& config)
    {
        constexpr index_t most = math::min(block, 16 / static_cast<index_t>(sizeof(T)));
        const auto fits        = [&](index_t elements) {
            const auto bytes = static_cast<std::size_t>(elements) * sizeof(T);
            bool aligned     = a.packed.channel == 1 &&
                           reinterpret_cast<std::uintptr_t>(to_blocks ? a.from : a.to) % bytes == 0;
            for(const long_index_t stride : a.packed.outer)
                aligned = aligned && stride % elements == 0;
            return aligned;
        };
        if(fits(most))
            return launch<block, most>(a, config);
        if(fits(most / 2))
            return launch<block, most / 2>(a, config);
        if constexpr(sizeof(T) < 4)
            if(fits(most / 4))
                return launch<block, most / 4>(a, config);
        return launch<block, 1>(a, config);
    }

    template <index_t block, index_t packed_vector>
    static float launch(const Argument& a, const StreamConfig& config)
    {
        using Kernel           = grid::GridwiseBlockedCopy<T, block, to_blocks, packed_vector>;
        const BlockedLayout& b = a.blocked;
        typename Kernel::Params p{};
        if constexpr(to_blocks)
        {
            p.packed  = static_cast<const T*>(a.from);
            p.blocked = static_cast<T*>(a.to);
        }
        else
        {
            p.packed  = static_cast<T*>(a.to);
            p.blocked = static_cast<const T*>(a.from);
        }
        const auto& s = b.strides;
        const auto& o = a.packed.outer;
        p.index       = decltype(p.index)::make(
            std::array{to_blocks ? b.rows : b.lengths[0],
                       b.lengths[1],
                       b.lengths[2],
                       b.lengths[3],
                       b.blocks()},
            std::array{std::array{o[0], o[1], o[2], o[3], a.packed.channel * block},
                       std::array{s[0], s[1], s[2], s[3], b.outer},
                       std::array<long_index_t, 5>{0, 0, 0, 0, block},
                       std::array<long_index_t, 5>{1, 0, 0, 0, 0}});
        p.channels       = b.channels;
        p.rows           = b.lengths[0];
        p.channel_stride = a.packed.channel;
        return launch_and_time_kernel<Kernel>(
            config, static_cast<index_t>(Kernel::grid_size(p)), p);
    }
};

} // namespace ck::tensor_operation::device
