#pragma once
// Launches kernels as a StreamConfig says: once and asynchronously, or many times to time them.

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/environment.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/stream_config.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

namespace ck {

class Event
{
public:
    Event() { HIP_CHECK_ERROR(hipEventCreate(&event_)); }
    ~Event() { static_cast<void>(hipEventDestroy(event_)); }
    Event(const Event&)            = delete;
    Event& operator=(const Event&) = delete;

    void record(hipStream_t stream) { HIP_CHECK_ERROR(hipEventRecord(event_, stream)); }

    /// Milliseconds from `start` to this event; waits for this event.
    float since(const Event& start) const
    {
        HIP_CHECK_ERROR(hipEventSynchronize(event_));
        float milliseconds = 0;
        HIP_CHECK_ERROR(hipEventElapsedTime(&milliseconds, start.event_, event_));
        return milliseconds;
    }

private:
    hipEvent_t event_{};
};

inline bool logs_launches(const StreamConfig& config)
{
    return config.log_level_ > 0 || environment_enables("CK_LOGGING");
}

namespace detail {
/// See time_launches; one function for all kernels.
inline float time_calls(const StreamConfig& config, void (*call)(const void*), const void* launch)
{
    if(!config.time_kernel_)
    {
        call(launch);
        return 0;
    }
    if(config.cold_niters_ < 0 || config.nrepeat_ < 1)
        throw std::invalid_argument(
            "StreamConfig: cold_niters_ " + std::to_string(config.cold_niters_) + ", nrepeat_ " +
            std::to_string(config.nrepeat_) + ": must be at least 0 and at least 1");
    const bool logs = logs_launches(config);
    if(logs)
        std::printf("Warm up %d times\n", config.cold_niters_);
    for(int i = 0; i < config.cold_niters_; ++i)
        call(launch);

    if(logs)
        std::printf("Start running %d times...\n", config.nrepeat_);
    Event start, stop;
    HIP_CHECK_ERROR(hipStreamSynchronize(config.stream_id_));
    start.record(config.stream_id_);
    for(int i = 0; i < config.nrepeat_; ++i)
        call(launch);
    stop.record(config.stream_id_);
    return stop.since(start) / static_cast<float>(config.nrepeat_);
}
} // namespace detail

/// Calls launch(), which enqueues its work on config.stream_id_ and throws on errors. Not timed:
/// calls it once, without waiting, and returns 0. Timed: calls it cold_niters_ times to warm up,
/// then nrepeat_ times between two events; waits, and returns the mean milliseconds.
template <class Launch>
float time_launches(const StreamConfig& config, const Launch& launch)
{
    return detail::time_calls(
        config, [](const void* l) { (*static_cast<const Launch*>(l))(); }, &launch);
}

inline void log_launch(const StreamConfig& config, index_t grid_size, index_t block_size)
{
    if(logs_launches(config))
        std::printf("launch_and_time_kernel: grid_dim {%d, 1, 1}, block_dim {%d, 1, 1} \n",
                    grid_size,
                    block_size);
}

/// The same for one kernel with `grid_size` blocks.
template <class Kernel>
float launch_and_time_kernel(const StreamConfig& config,
                             index_t grid_size,
                             const typename Kernel::Params& params)
{
    log_launch(config, grid_size, Kernel::block_size);
    return time_launches(config, [&] {
        HIP_CHECK_ERROR(arch::launch<Kernel>(grid_size, config.stream_id_, params));
    });
}

} // namespace ck
