#pragma once
// How long launches take, without the time that the CPU takes to start them.
#include "ck/host_utility/hip_check_error.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace ck::profiler {

/// `count` launches in a row, recorded once and replayed, so that no time of the CPU is measured.
class Replay
{
public:
    /// launch(i, stream) starts the i-th. Throws what it throws.
    template <class Launch>
    Replay(int count, const Launch& launch) : count_(count)
    {
        cudaGraph_t graph{};
        HIP_CHECK_ERROR(cudaStreamCreate(&stream_));
        HIP_CHECK_ERROR(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try
        {
            for(int i = 0; i < count; ++i)
                launch(i, stream_);
        }
        catch(...)
        {
            static_cast<void>(cudaStreamEndCapture(stream_, &graph));
            static_cast<void>(cudaStreamDestroy(stream_));
            throw;
        }
        HIP_CHECK_ERROR(cudaStreamEndCapture(stream_, &graph));
        HIP_CHECK_ERROR(cudaGraphInstantiate(&replayed_, graph, 0));
        HIP_CHECK_ERROR(cudaGraphDestroy(graph));
        HIP_CHECK_ERROR(cudaEventCreate(&start_));
        HIP_CHECK_ERROR(cudaEventCreate(&stop_));
    }
    ~Replay()
    {
        static_cast<void>(cudaEventDestroy(start_));
        static_cast<void>(cudaEventDestroy(stop_));
        static_cast<void>(cudaGraphExecDestroy(replayed_));
        static_cast<void>(cudaStreamDestroy(stream_));
    }
    Replay(const Replay&)            = delete;
    Replay& operator=(const Replay&) = delete;

    /// Milliseconds a launch.
    double time()
    {
        HIP_CHECK_ERROR(cudaEventRecord(start_, stream_));
        HIP_CHECK_ERROR(cudaGraphLaunch(replayed_, stream_));
        HIP_CHECK_ERROR(cudaEventRecord(stop_, stream_));
        HIP_CHECK_ERROR(cudaEventSynchronize(stop_));
        float ms = 0;
        HIP_CHECK_ERROR(cudaEventElapsedTime(&ms, start_, stop_));
        return ms / count_;
    }

private:
    int count_;
    cudaStream_t stream_{};
    cudaGraphExec_t replayed_{};
    cudaEvent_t start_{}, stop_{};
};

inline double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/// One of several ways to the same result: the `number`-th. launch(i, stream) starts the i-th
/// launch.
struct Contender
{
    std::size_t number;
    std::function<void(int, cudaStream_t)> launch;
    double ms; ///< of a first look
    std::unique_ptr<Replay> replay{};
    std::vector<double> times{};

    /// Milliseconds a launch, of the later half of `times`.
    double settled() const
    {
        return median({times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end()});
    }
};

/// A first look: milliseconds of one of a few launches.
template <class Launch>
double first_look(const Launch& launch)
{
    Replay few(5, launch);
    few.time();
    return few.time();
}

/// Leaves those that a first look cannot tell from the fastest: within 5 %, four at most; ready to
/// be replayed, `launches` at a time.
inline void leave_closest(std::vector<Contender>& all, int launches)
{
    const auto faster = [](const Contender& a, const Contender& b) { return a.ms < b.ms; };
    std::sort(all.begin(), all.end(), faster);
    while(all.size() > 4 || (!all.empty() && all.back().ms > 1.05 * all.front().ms))
        all.pop_back();
    for(Contender& c : all)
        c.replay = std::make_unique<Replay>(launches, c.launch);
}

/// Leaves the one that settled as the fastest.
inline void leave_fastest(std::vector<Contender>& all)
{
    const auto faster = [](const Contender& a, const Contender& b) {
        return a.settled() < b.settled();
    };
    if(!all.empty())
        std::iter_swap(all.begin(), std::min_element(all.begin(), all.end(), faster));
    while(all.size() > 1)
        all.pop_back();
}

} // namespace ck::profiler
