#pragma once
// Launches one after another: made as a list first, which is run, or kept to be run with other
// addresses.

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/utility/addresses.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace ck {

/// Most bytes of a kernel's parameters, and their alignment: what every GPU takes.
inline constexpr std::size_t most_param_bytes = 4096;
inline constexpr std::size_t param_alignment  = 128;

/// One launch: its parameters as bytes, where among them addresses are, and what makes it.
struct ListedLaunch
{
    /// params: aligned to param_alignment. As arch::launch.
    hipError_t (*make)(index_t grid_size, hipStream_t, const void* params);
    index_t grid_size, block_size;
    std::vector<std::byte> params;
    std::vector<std::size_t> addresses; ///< bytes of params before each
};

/// The launches of an operation, in their order.
struct LaunchList
{
    std::vector<ListedLaunch> launches;
    /// Whether a launch reads what it writes: repeated launches leave another result than one.
    bool changes_in_place = false;

    /// The parameters name their addresses: see each_address().
    template <class Kernel>
    void add(index_t grid_size, const typename Kernel::Params& params)
    {
        using Params = typename Kernel::Params;
        static_assert(sizeof(Params) <= most_param_bytes && alignof(Params) <= param_alignment);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&params);
        ListedLaunch& l         = launches.emplace_back(
            ListedLaunch{[](index_t grid, hipStream_t stream, const void* p) {
                             return arch::launch<Kernel>(
                                 grid, stream, *std::launder(static_cast<const Params*>(p)));
                         },
                         grid_size,
                         Kernel::block_size,
                         {bytes, bytes + sizeof(Params)},
                         {}});
        each_address(params, [&](const auto& address) {
            static_assert(sizeof address == sizeof(std::uintptr_t));
            l.addresses.push_back(
                static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&address) - bytes));
        });
    }

    /// Each as time_launches() does; returns the sum of their times. What was timed and changes
    /// its result in place is run once more.
    float run(const StreamConfig& config) const
    {
        const auto make = [&](const ListedLaunch& l) {
            alignas(param_alignment) std::byte params[most_param_bytes];
            std::memcpy(params, l.params.data(), l.params.size());
            HIP_CHECK_ERROR(l.make(l.grid_size, config.stream_id_, params));
        };
        float time = 0;
        for(const ListedLaunch& l : launches)
        {
            log_launch(config, l.grid_size, l.block_size);
            time += time_launches(config, [&] { make(l); });
        }
        if(config.time_kernel_ && changes_in_place)
            for(const ListedLaunch& l : launches)
                make(l);
        return time;
    }
};

} // namespace ck
