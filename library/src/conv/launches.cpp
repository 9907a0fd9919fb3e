// Where addresses are in the parameters of launches.
#include "conv/launches.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ck::conv {

namespace {

std::uintptr_t word_at(const RecordedLaunch& launch, std::size_t byte)
{
    std::uintptr_t word = 0;
    std::memcpy(&word, launch.params.data() + byte, sizeof word);
    return word;
}

bool same_shape(const std::vector<RecordedLaunch>& x, const std::vector<RecordedLaunch>& y)
{
    if(x.size() != y.size())
        return false;
    for(std::size_t i = 0; i < x.size(); ++i)
        if(x[i].launch != y[i].launch || x[i].grid_size != y[i].grid_size ||
           x[i].params.size() != y[i].params.size())
            return false;
    return true;
}

/// The slot whose address changed by as much as a word; slot_count if none did.
Slot slot_of(std::uintptr_t change, const Addresses& from, const Addresses& to)
{
    std::size_t slot = 0;
    while(slot < slot_count && (to[slot] == from[slot] || to[slot] - from[slot] != change))
        ++slot;
    return static_cast<Slot>(slot);
}

/// Fills the stack that calls will use with zeros. Padding between parameters is what lay there
/// before: now the same for the same calls.
[[gnu::noinline]] void clear_stack()
{
    static void* (*const volatile fill)(void*, int, std::size_t) = std::memset; // not left out
    std::byte bytes[32768];
    fill(bytes, 0, sizeof bytes);
}

} // namespace

Addresses
stand_in_addresses(const Resolved& resolved, std::size_t alignment, bool has_workspace, int round)
{
    // Below 2^47, as real ones are, and not regular: no sum or difference of two is a third's.
    constexpr std::uintptr_t rounds[][slot_count] = {{0x010010000000,
                                                      0x110020000000,
                                                      0x210080000000,
                                                      0x310400000000,
                                                      0x418000000000,
                                                      0x520001000000},
                                                     {0x2af3a5c70000,
                                                      0x34c90e8d0000,
                                                      0x3e1b72f40000,
                                                      0x478d5a0c0000,
                                                      0x51f0c6b80000,
                                                      0x5b62e91d0000},
                                                     {0x6c5d2b9f0000,
                                                      0x0b87f31e0000,
                                                      0x15e94c7d0000,
                                                      0x1fa6d8b30000,
                                                      0x29741f5c0000,
                                                      0x02d9b86a0000}};
    Addresses at{};
    for(std::size_t slot = 0; slot < slot_count; ++slot)
        if(slot == slot_workspace ? has_workspace : resolved.uses[slot].used)
            at[slot] =
                rounds[round][slot] +
                (2 * (static_cast<std::size_t>(round) + 3 * slot) + 1) *
                    (slot == slot_workspace ? std::max<std::size_t>(alignment, 16) : alignment);
    return at;
}

void run(const Work& work, const Resolved& resolved, const Addresses& at, hipStream_t stream)
{
    StreamConfig config{};
    config.stream_id_     = stream;
    ConvArgument argument = resolved.argument(at);
    argument.split_k      = work.split_k;
    if(work.kernel_workspace == 0)
        argument.workspace = nullptr;
    work.kernel->run(argument, config);
    if(resolved.bias_gradient)
        resolved.bias_gradient->run(
            reinterpret_cast<const void*>(at[slot_y]),
            reinterpret_cast<void*>(at[slot_bias]),
            reinterpret_cast<void*>(at[slot_workspace] + work.bias_gradient_at()),
            config);
}

namespace {

/// The launches that run() would make; nothing if it throws: it looks at more than where memory is.
std::optional<std::vector<RecordedLaunch>>
recorded(const Work& work, const Resolved& resolved, const Addresses& at)
{
    LaunchRecord record;
    clear_stack();
    try
    {
        run(work, resolved, at, nullptr);
    }
    catch(const std::runtime_error&)
    {
        return std::nullopt;
    }
    return std::move(record.launches);
}

/// Where addresses are in the parameters of a launch that was recorded at two; nothing if one
/// changed otherwise.
std::optional<std::vector<AddressPlace>> places_in(const RecordedLaunch& launch,
                                                   const Addresses& at,
                                                   const RecordedLaunch& other,
                                                   const Addresses& at_other)
{
    std::vector<AddressPlace> places;
    constexpr auto step = sizeof(std::uintptr_t);
    for(std::size_t byte = 0; byte + step <= launch.params.size(); byte += step)
    {
        const std::uintptr_t before = word_at(launch, byte), after = word_at(other, byte);
        if(before == after)
            continue;
        const Slot slot = slot_of(after - before, at, at_other);
        if(slot == slot_count)
            return std::nullopt;
        places.push_back({byte, slot, before - at[slot]});
    }
    return places;
}

/// A launch's parameters with other addresses.
void put_addresses(const PackedLaunch& launch, const Addresses& at, std::byte* params)
{
    std::memcpy(params, launch.launch.params.data(), launch.launch.params.size());
    for(const AddressPlace& place : launch.places)
    {
        const std::uintptr_t address = at[place.slot] + place.offset;
        std::memcpy(params + place.byte, &address, sizeof address);
    }
}

/// Whether the launches are the packed ones at other addresses. flags_may_be_set: those that packed
/// ones have unset, bytes of 0 where launches have 1: wider accesses that better addresses allow,
/// and nobody needs.
bool follow(const std::vector<RecordedLaunch>& launches,
            const std::vector<PackedLaunch>& packed,
            const Addresses& at,
            bool flags_may_be_set)
{
    const auto same = [&](std::byte own, std::byte of_packed) {
        return own == of_packed ||
               (flags_may_be_set && own == std::byte{1} && of_packed == std::byte{0});
    };
    std::vector<std::byte> params;
    for(std::size_t i = 0; i < launches.size(); ++i)
    {
        params.resize(packed[i].launch.params.size());
        put_addresses(packed[i], at, params.data());
        if(launches[i].grid_size != packed[i].launch.grid_size ||
           !std::equal(launches[i].params.begin(),
                       launches[i].params.end(),
                       params.begin(),
                       params.end(),
                       same))
            return false;
    }
    return true;
}

/// Whether both launch the same kernels in the same order.
bool same_kernels(const std::vector<RecordedLaunch>& launches,
                  const std::vector<PackedLaunch>& packed)
{
    return std::equal(
        launches.begin(),
        launches.end(),
        packed.begin(),
        packed.end(),
        [](const RecordedLaunch& x, const PackedLaunch& y) { return x.launch == y.launch.launch; });
}

} // namespace

PackedLaunches
pack_launches(const Work& work, const Resolved& resolved, std::size_t alignment, bool has_workspace)
{
    constexpr int rounds = 3;
    std::array<Addresses, rounds> at;
    std::array<std::vector<RecordedLaunch>, rounds> launches;
    for(std::size_t i = 0; i < rounds; ++i)
    {
        at[i]     = stand_in_addresses(resolved, alignment, has_workspace, static_cast<int>(i));
        auto made = recorded(work, resolved, at[i]);
        if(!made)
            return {};
        launches[i] = std::move(*made);
    }
    if(!same_shape(launches[0], launches[1]) || !same_shape(launches[0], launches[2]))
        return {};

    PackedLaunches r{true, {}};
    for(std::size_t i = 0; i < launches[0].size(); ++i)
    {
        auto places = places_in(launches[0][i], at[0], launches[1][i], at[1]);
        if(!places)
            return {};
        r.launches.push_back({launches[0][i], std::move(*places)});
    }
    if(!follow(launches[2], r.launches, at[2], false))
        return {};

    // Where memory lies better, kernels with wider accesses may be launched instead; what is packed
    // serves there, too, unless its parameters would be others.
    const auto also_at = [&](std::size_t better) {
        const Addresses there = stand_in_addresses(resolved, better, has_workspace, 2);
        const auto made       = recorded(work, resolved, there);
        return made && (!same_kernels(*made, r.launches) || follow(*made, r.launches, there, true));
    };
    for(std::size_t better = 2 * alignment; better <= 16; better *= 2)
        if(!also_at(better))
            return {};
    return also_at(4096) ? r : PackedLaunches{};
}

hipError_t launch(const PackedLaunch& launch, const Addresses& at, hipStream_t stream)
{
    alignas(param_alignment) std::array<std::byte, most_param_bytes> params;
    put_addresses(launch, at, params.data());
    const RecordedLaunch& from = launch.launch;
    return from.launch(from.grid_size, stream, params.data());
}

} // namespace ck::conv
