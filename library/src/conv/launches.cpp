// Converts a kernel's launches to those of a plan, and these to the launches of a run.
#include "conv/launches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ck::conv {

namespace {

/// Distance between the addresses of two slots: at least twice the longest tensor. 2^43, so that
/// all are less than 2^47, like real ones.
constexpr int slot_bits = 43;
static_assert(slot_count + 1 <= 1 << (47 - slot_bits));

SlotAddress in_slot(std::size_t byte, std::uintptr_t address, const Addresses& at)
{
    const std::uintptr_t number = (address + (std::uintptr_t{1} << (slot_bits - 1))) >> slot_bits;
    if(number < 1 || number > slot_count || at[number - 1] == 0)
        throw std::runtime_error("an address of a launch is in none of the plan's tensors");
    return {byte, static_cast<Slot>(number - 1), address - at[number - 1]};
}

} // namespace

LaunchList launches_of(const Work& work, const Resolved& resolved, const Addresses& at)
{
    LaunchList list;
    ConvArgument argument = resolved.argument(at);
    argument.split_k      = work.split_k;
    if(work.kernel_workspace == 0)
        argument.workspace = nullptr;
    work.kernel->add(argument, list);
    if(resolved.bias_gradient)
        resolved.bias_gradient->add(
            list,
            reinterpret_cast<const void*>(at[slot_y]),
            reinterpret_cast<void*>(at[slot_bias]),
            reinterpret_cast<void*>(at[slot_workspace] + work.bias_gradient_at()));
    return list;
}

Addresses slot_addresses(const Resolved& resolved, std::size_t alignment, bool has_workspace)
{
    Addresses at{};
    for(std::size_t slot = 0; slot < slot_count; ++slot)
        if(const std::size_t bytes = resolved.uses[slot].bytes; bytes >> (slot_bits - 1) != 0)
            throw Refused(std::string("ck::ConvSpec: ") + slot_names[slot] + " has " +
                          std::to_string(bytes) + " bytes, but plans are for less than 2^42");
    for(std::size_t slot = 0; slot < slot_count; ++slot)
        if(slot == slot_workspace ? has_workspace : resolved.uses[slot].used)
            at[slot] =
                ((slot + 1) << slot_bits) +
                (2 * slot + 1) *
                    (slot == slot_workspace ? std::max<std::size_t>(alignment, 16) : alignment);
    return at;
}

std::vector<PlannedLaunch> in_slots(LaunchList list, const Addresses& at)
{
    std::vector<PlannedLaunch> planned;
    for(ListedLaunch& launch : list.launches)
    {
        PlannedLaunch& p = planned.emplace_back(PlannedLaunch{std::move(launch), {}});
        for(const std::size_t byte : p.launch.addresses)
        {
            std::uintptr_t address = 0;
            std::memcpy(&address, p.launch.params.data() + byte, sizeof address);
            if(address != 0) // 0: it is not read
                p.addresses.push_back(in_slot(byte, address, at));
        }
    }
    return planned;
}

void copy_params(const PlannedLaunch& launch, const Addresses& at, std::byte* params)
{
    std::memcpy(params, launch.launch.params.data(), launch.launch.params.size());
    for(const SlotAddress& a : launch.addresses)
    {
        const std::uintptr_t address = at[a.slot] + a.offset;
        std::memcpy(params + a.byte, &address, sizeof address);
    }
}

hipError_t launch(const PlannedLaunch& launch, const Addresses& at, hipStream_t stream)
{
    alignas(param_alignment) std::array<std::byte, most_param_bytes> params;
    copy_params(launch, at, params.data());
    return launch.launch.make(launch.launch.grid_size, stream, params.data());
}

} // namespace ck::conv
