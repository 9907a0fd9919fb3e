#pragma once
// Copies on a device between channels-first images (each channel is a plane) and channels-last
// pixels.
#include "ck/convolution/support.hpp"
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_layout_conversion.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ck::tensor_operation::device {

/// to_pixels: from planes to the channels-last copy, with zeros in the added channels and images;
/// otherwise back, without reading these. The tensors must not overlap.
template <bool to_pixels>
struct DeviceLayoutConversion
{
    struct Argument
    {
        grid::ChannelsFirstTensor tensor;
        index_t element_bytes; ///< 1, 2 or 4
        const void* from;
        void* to;
    };

    /// The largest launch: the number of runs, including those that fill up the last workgroup,
    /// must fit an index_t.
    static constexpr long_index_t most_vectors = long_index_t{1} << 30;

    /// Whether run() can copy it; if not, why.
    static Support supports(const Argument& a)
    {
        const auto& t = a.tensor;
        if(a.element_bytes != 1 && a.element_bytes != 2 && a.element_bytes != 4)
            return refused("an element has " + std::to_string(a.element_bytes) +
                           " bytes, but must have 1, 2 or 4");
        if(t.images < 1 || t.channels < 1 || t.pixels < 1)
            return refused("the tensor has " + std::to_string(t.images) + " images of " +
                           std::to_string(t.channels) + " planes of " + std::to_string(t.pixels) +
                           " pixels, but must have at least one of each");
        if(t.image < 0 || t.plane < 0)
            return refused("planes are " + std::to_string(t.plane) + " elements apart and images " +
                           std::to_string(t.image) + ", but distances must not be negative");
        if(t.pitch < t.channels || t.copied < t.images)
            return refused("the copy has " + std::to_string(t.copied) + " images of " +
                           std::to_string(t.pitch) + " channels, but must have at least the " +
                           std::to_string(t.images) + " of " + std::to_string(t.channels) +
                           " of the tensor");
        if(t.pitch * a.element_bytes % 16 != 0)
            return refused("a pixel of the copy has " + std::to_string(t.pitch * a.element_bytes) +
                           " bytes, but must have a multiple of 16");
        if(address(to_pixels ? a.to : a.from) % 16 != 0)
            return refused("the address of the copy is not a multiple of 16 bytes");
        if(address(planes(a)) % static_cast<std::uintptr_t>(a.element_bytes) != 0)
            return refused("the address of the planes is not a multiple of the " +
                           std::to_string(a.element_bytes) + " bytes of an element");
        if(t.copied * t.pixels * (t.pitch * a.element_bytes / 16) > most_vectors)
            return refused("the copy has " + std::to_string(t.copied) + " images of " +
                           std::to_string(t.pixels) + " pixels of " + std::to_string(t.pitch) +
                           " channels, but a launch takes at most 2^30 vectors of 16 bytes");
        return {};
    }

    /// Whether threads move runs of several pixels; otherwise they move single elements.
    static bool has_runs(const Argument& a) { return has_runs_of(a, 4); }

    /// Appends the launch to `list`. Throws std::runtime_error if supports() refuses the argument
    /// or if a tensor is null.
    static void add(LaunchList& list, const Argument& a)
    {
        if(const Support s = supports(a); !s)
            throw std::runtime_error("the planes cannot be transposed: " + s.reason);
        if(a.from == nullptr || a.to == nullptr)
            throw std::runtime_error("the address of a tensor is null");
        switch(a.element_bytes)
        {
        case 1:
            return longest_run<std::uint8_t, 4, 1>(list, a);
        case 2:
            return longest_run<std::uint16_t, 8, 4, 1>(list, a);
        default:
            return longest_run<std::uint32_t, 4, 1>(list, a);
        }
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
    static const void* planes(const Argument& a) { return to_pixels ? a.from : a.to; }

    static bool has_runs_of(const Argument& a, index_t length)
    {
        const auto& t = a.tensor;
        return t.pixels % length == 0 && t.plane % length == 0 && t.image % length == 0 &&
               address(planes(a)) % static_cast<std::uintptr_t>(length * a.element_bytes) == 0;
    }

    /// Uses the first of the lengths that fits every run of pixels.
    template <class T, index_t length, index_t... others>
    static void longest_run(LaunchList& list, const Argument& a)
    {
        if constexpr(sizeof...(others) > 0)
            if(!has_runs_of(a, length))
                return longest_run<T, others...>(list, a);
        const auto& t     = a.tensor;
        using Kernel      = grid::GridwiseLayoutConversion<T, length, to_pixels>;
        const auto params = [&] {
            if constexpr(to_pixels)
                return Kernel::make_params(static_cast<const T*>(a.from), static_cast<T*>(a.to), t);
            else
                return Kernel::make_params(static_cast<T*>(a.to), static_cast<const T*>(a.from), t);
        }();
        list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(params)), params);
    }
};

} // namespace ck::tensor_operation::device
