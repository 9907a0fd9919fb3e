#pragma once
// Launches and times kernel functions, with work before each launch, and with caches that hold
// nothing from the previous launch.
#include "ck/arch/user_kernel.hpp"
#include "ck/host_utility/kernel_launch.hpp"

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ck::utility {

/// Memory that evicts everything else from the device's caches when it is written. Throws
/// std::runtime_error if there is not enough memory.
class CacheFlush
{
public:
    /// Twice the largest last-level cache of the supported devices (256 MiB).
    static constexpr std::size_t enough = std::size_t{512} << 20;

    explicit CacheFlush(std::size_t bytes = enough) : bytes_(bytes)
    {
        HIP_CHECK_ERROR(hipMalloc(&memory_, bytes));
    }
    ~CacheFlush() { static_cast<void>(hipFree(memory_)); }
    CacheFlush(const CacheFlush&)            = delete;
    CacheFlush& operator=(const CacheFlush&) = delete;

    /// Asynchronous on the stream.
    void operator()(hipStream_t stream) const
    {
        HIP_CHECK_ERROR(hipMemsetAsync(memory_, 0, bytes_, stream));
    }

private:
    void* memory_ = nullptr;
    std::size_t bytes_;
};

namespace detail {

/// A number of workgroups or threads, or a dim3 with one dimension.
template <class Dim>
index_t one_dimension(const char* what, const Dim& dim)
{
    if constexpr(std::is_integral_v<Dim>)
        return static_cast<index_t>(dim);
    else
    {
        if(dim.y != 1 || dim.z != 1)
            throw std::invalid_argument(std::string(what) + " {" + std::to_string(dim.x) + ", " +
                                        std::to_string(dim.y) + ", " + std::to_string(dim.z) +
                                        "}: must have one dimension");
        if(dim.x > static_cast<unsigned>(std::numeric_limits<index_t>::max()))
            throw std::invalid_argument(std::string(what) + " " + std::to_string(dim.x) +
                                        ": must be at most 2147483647");
        return static_cast<index_t>(dim.x);
    }
}

} // namespace detail
} // namespace ck::utility

/// Launches a kernel that is a function (arch/user_kernel.hpp): once and asynchronously, or timed,
/// as `config` says. Returns the mean milliseconds, 0 if it is not timed. grid_dim and block_dim:
/// numbers, or dim3 with one dimension. Throws std::invalid_argument for more dimensions, and
/// std::runtime_error if a launch fails.
template <class... Parameters, class Grid, class Block, class... Arguments>
float launch_and_time_kernel(const StreamConfig& config,
                             void (*kernel)(Parameters...),
                             Grid grid_dim,
                             Block block_dim,
                             std::size_t lds_byte,
                             const Arguments&... arguments)
{
    const auto grid  = ck::utility::detail::one_dimension("grid_dim", grid_dim);
    const auto block = ck::utility::detail::one_dimension("block_dim", block_dim);
    return ck::time_launches(config, [&] {
        HIP_CHECK_ERROR(ck::arch::launch_function(
            kernel, grid, block, lds_byte, config.stream_id_, arguments...));
    });
}

/// The same with preprocess() before each launch, which enqueues its work on config.stream_id_, for
/// example to clear a result that the kernel adds to. With config.flush_cache, timed launches start
/// without their operands in the caches. The milliseconds include only the kernel.
template <class Preprocess, class... Parameters, class Grid, class Block, class... Arguments>
float launch_and_time_kernel_with_preprocess(const StreamConfig& config,
                                             const Preprocess& preprocess,
                                             void (*kernel)(Parameters...),
                                             Grid grid_dim,
                                             Block block_dim,
                                             std::size_t lds_byte,
                                             const Arguments&... arguments)
{
    const StreamConfig once{config.stream_id_, false, config.log_level_};
    const auto launch = [&] {
        launch_and_time_kernel(once, kernel, grid_dim, block_dim, lds_byte, arguments...);
    };
    if(!config.time_kernel_)
    {
        preprocess();
        launch();
        return 0;
    }
    if(config.cold_niters_ < 0 || config.nrepeat_ < 1)
        throw std::invalid_argument(
            "StreamConfig: cold_niters_ " + std::to_string(config.cold_niters_) + ", nrepeat_ " +
            std::to_string(config.nrepeat_) + ": must be at least 0 and at least 1");
    const ck::utility::CacheFlush flush(config.flush_cache ? ck::utility::CacheFlush::enough : 1);
    ck::Event start, stop;
    double milliseconds = 0;
    for(int i = -config.cold_niters_; i < config.nrepeat_; ++i)
    {
        preprocess();
        if(config.flush_cache)
            flush(config.stream_id_);
        start.record(config.stream_id_);
        launch();
        stop.record(config.stream_id_);
        if(const float one = stop.since(start); i >= 0)
            milliseconds += one;
    }
    return static_cast<float>(milliseconds / config.nrepeat_);
}
