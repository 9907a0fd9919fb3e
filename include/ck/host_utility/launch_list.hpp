#pragma once
// A sequence of launches as a list, which can be run at once, or kept and run again with other
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

/// Maximum size and alignment, in bytes, of a kernel's parameters that every GPU supports.
inline constexpr std::size_t most_param_bytes = 4096;
inline constexpr std::size_t param_alignment  = 128;

/// One launch: the bytes of its parameters, the offsets of addresses in them, and its function.
struct ListedLaunch
{
    /// params: aligned to param_alignment. Returns what arch::launch returns.
    hipError_t (*make)(index_t grid_size, hipStream_t, const void* params);
    index_t grid_size, block_size;
    std::vector<std::byte> params;
    std::vector<std::size_t> addresses; ///< offset of each address in params, in bytes
};

/// The launches of an operation, in order.
struct LaunchList
{
    std::vector<ListedLaunch> launches;
    /// Whether a launch reads what it writes, so that repeating it changes the result.
    bool changes_in_place = false;

    /// The parameters list their addresses: see each_address().
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

    /// Runs each launch as time_launches() does, and returns the sum of the times. If launches
    /// change their result in place, runs them once more after timing.
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
