#pragma once
// Copies on a device between packed pixels and pixels that are padded with zero channels.
#include "ck/convolution/support.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_pad_channels.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ck::tensor_operation::device {

/// pad: from the packed tensor to the padded copy, with zeros in the added channels and pixels;
/// otherwise back, without reading these. The tensors must not overlap.
template <bool pad>
struct DevicePadChannels
{
    struct Argument
    {
        grid::PadChannels pixels; ///< in elements
        index_t element_bytes;    ///< 1, 2 or 4
        const void* from;
        void* to;
    };

    /// Whether run() can copy it; if not, why.
    static Support supports(const Argument& a)
    {
        const auto& p = a.pixels;
        if(a.element_bytes != 1 && a.element_bytes != 2 && a.element_bytes != 4)
            return refused("an element has " + std::to_string(a.element_bytes) +
                           " bytes, but must have 1, 2 or 4");
        if(p.pixels < 1 || p.channels < 1)
            return refused("the tensor has " + std::to_string(p.pixels) + " pixels of " +
                           std::to_string(p.channels) +
                           " channels, but must have at least one of each");
        if(p.pitch < p.channels || p.padded < p.pixels)
            return refused("the copy has " + std::to_string(p.padded) + " pixels of " +
                           std::to_string(p.pitch) + " channels, but must have at least the " +
                           std::to_string(p.pixels) + " of " + std::to_string(p.channels) +
                           " of the tensor");
        if(p.pitch * a.element_bytes % 16 != 0)
            return refused("a pixel of the copy has " + std::to_string(p.pitch * a.element_bytes) +
                           " bytes, but must have a multiple of 16");
        if(p.padded > std::numeric_limits<index_t>::max())
            return refused("the copy has " + std::to_string(p.padded) +
                           " pixels, but must have fewer than 2^31");
        if(address(pad ? a.to : a.from) % 16 != 0)
            return refused("the address of the copy is not a multiple of 16 bytes");
        if(address(packed(a)) % static_cast<std::uintptr_t>(a.element_bytes) != 0)
            return refused("the address of the packed tensor is not a multiple of the " +
                           std::to_string(a.element_bytes) + " bytes of an element");
        return {};
    }

    /// Appends the launch to `list`. Throws std::runtime_error if supports() refuses the argument
    /// or if a tensor is null.
    static void add(LaunchList& list, const Argument& a)
    {
        if(const Support s = supports(a); !s)
            throw std::runtime_error("the channels cannot be copied: " + s.reason);
        if(a.from == nullptr || a.to == nullptr)
            throw std::runtime_error("the address of a tensor is null");
        const auto line = static_cast<std::uintptr_t>(a.pixels.channels * a.element_bytes);
        const auto both = line | address(packed(a)); // a width that divides this divides both
        return both % 4 == 0   ? add_as<std::uint32_t>(list, a)
               : both % 2 == 0 ? add_as<std::uint16_t>(list, a)
                               : add_as<std::uint8_t>(list, a);
    }
    /// Launches it. Returns milliseconds if `config` asks for time, else 0.
    static float run(const Argument& a, const StreamConfig& config = {})
    {
        LaunchList list;
        add(list, a);
        return list.run(config);
    }

private:
    static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
    static const void* packed(const Argument& a) { return pad ? a.from : a.to; }

    template <class Unit>
    static void add_as(LaunchList& list, const Argument& a)
    {
        using Kernel = std::
            conditional_t<pad, grid::GridwisePadChannels<Unit>, grid::GridwiseCropChannels<Unit>>;
        const auto units = [&](index_t elements) {
            return static_cast<index_t>(long_index_t{elements} * a.element_bytes /
                                        static_cast<long_index_t>(sizeof(Unit)));
        };
        grid::PadChannels pixels = a.pixels;
        pixels.channels          = units(pixels.channels);
        pixels.pitch             = units(pixels.pitch);
        const auto params =
            Kernel::make_params(static_cast<const Unit*>(a.from), static_cast<Unit*>(a.to), pixels);
        list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(params)), params);
    }
};

} // namespace ck::tensor_operation::device
