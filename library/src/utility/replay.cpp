// CUDA graphs, or events around the launches.
#include "utility/replay.hpp"

#include "ck/host_utility/kernel_launch.hpp"

#include <algorithm>
#include <cmath>

namespace ck::measure {

namespace {

class Stream
{
public:
    Stream() { HIP_CHECK_ERROR(hipStreamCreate(&stream_)); }
    ~Stream() { static_cast<void>(hipStreamDestroy(stream_)); }
    Stream(const Stream&)            = delete;
    Stream& operator=(const Stream&) = delete;

    hipStream_t get() const { return stream_; }

private:
    hipStream_t stream_{};
};

#if defined(CK_RUNTIME_CUDA)

class Recorded
{
public:
    Recorded(int count, const Launch& launch, hipStream_t stream)
    {
        cudaGraph_t graph{};
        HIP_CHECK_ERROR(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        try
        {
            for(int i = 0; i < count; ++i)
                launch(i, stream);
        }
        catch(...)
        {
            static_cast<void>(cudaStreamEndCapture(stream, &graph));
            static_cast<void>(cudaGraphDestroy(graph));
            static_cast<void>(hipGetLastError()); // clears the capture's error for the next call
            throw;
        }
        cudaError_t error = cudaStreamEndCapture(stream, &graph);
        if(error == cudaSuccess)
            error = cudaGraphInstantiate(&graph_, graph, 0);
        static_cast<void>(cudaGraphDestroy(graph));
        if(error != cudaSuccess)
            static_cast<void>(hipGetLastError());
        HIP_CHECK_ERROR(error);
    }
    ~Recorded() { static_cast<void>(cudaGraphExecDestroy(graph_)); }
    Recorded(const Recorded&)            = delete;
    Recorded& operator=(const Recorded&) = delete;

    void start(hipStream_t stream) { HIP_CHECK_ERROR(cudaGraphLaunch(graph_, stream)); }

private:
    cudaGraphExec_t graph_{};
};

#else

class Recorded
{
public:
    Recorded(int count, const Launch& launch, hipStream_t) : count_(count), launch_(launch) {}

    void start(hipStream_t stream)
    {
        for(int i = 0; i < count_; ++i)
            launch_(i, stream);
    }

private:
    int count_;
    Launch launch_;
};

#endif

} // namespace

struct Replay::State
{
    State(int launches, const Launch& launch)
        : count(launches),
          recorded(launches, launch, stream.get())
    {}

    int count;
    Stream stream;
    Recorded recorded;
    Event begin, end;
};

int sets_beyond_caches(double bytes)
{
    constexpr double beyond_caches = 400 << 20; // AMD's last-level cache of 256 MiB is the largest
    return std::clamp(static_cast<int>(std::ceil(beyond_caches / std::max(bytes, 1.))), 1, 64);
}

Replay::Replay(int count, const Launch& launch) : state_(std::make_unique<State>(count, launch)) {}

Replay::~Replay() = default;

double Replay::time()
{
    State& s = *state_;
    s.begin.record(s.stream.get());
    s.recorded.start(s.stream.get());
    s.end.record(s.stream.get());
    return static_cast<double>(s.end.since(s.begin)) / s.count;
}

} // namespace ck::measure
