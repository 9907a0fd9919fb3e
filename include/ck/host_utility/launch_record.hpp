#pragma once
// Launches that are written down instead of made, to be made later, with other addresses.

#include "ck/arch/kernel.hpp"

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace ck {

/// Most bytes of a kernel's parameters, and their alignment: what every GPU takes.
inline constexpr std::size_t most_param_bytes = 4096;
inline constexpr std::size_t param_alignment  = 128;

/// One launch: its parameters as bytes, and what makes it with them.
struct RecordedLaunch
{
    /// params: aligned to param_alignment. As arch::launch.
    hipError_t (*launch)(index_t grid_size, hipStream_t, const void* params);
    index_t grid_size;
    std::vector<std::byte> params;
};

/// While it lives, launch_and_time_kernel() of this thread adds to it and launches nothing.
class LaunchRecord
{
public:
    LaunchRecord() : before_(current()) { current() = this; }
    ~LaunchRecord() { current() = before_; }
    LaunchRecord(const LaunchRecord&)            = delete;
    LaunchRecord& operator=(const LaunchRecord&) = delete;

    /// This thread's; null if there is none.
    static LaunchRecord*& current()
    {
        thread_local LaunchRecord* record = nullptr;
        return record;
    }

    template <class Kernel>
    void add(index_t grid_size, const typename Kernel::Params& params)
    {
        using Params = typename Kernel::Params;
        static_assert(sizeof(Params) <= most_param_bytes && alignof(Params) <= param_alignment);
        std::vector<std::byte> bytes(sizeof(Params));
        std::memcpy(bytes.data(), &params, sizeof(Params));
        launches.push_back({[](index_t grid, hipStream_t stream, const void* p) {
                                return arch::launch<Kernel>(
                                    grid, stream, *std::launder(static_cast<const Params*>(p)));
                            },
                            grid_size,
                            std::move(bytes)});
    }

    std::vector<RecordedLaunch> launches;

private:
    LaunchRecord* before_;
};

} // namespace ck
