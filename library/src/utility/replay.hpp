#pragma once
// Consecutive launches, timed on the device, without the time that the CPU takes to start them if
// the platform allows it: CUDA graphs on NVIDIA, elsewhere events around the launches.
#include "ck/host_utility/runtime.hpp"

#include <functional>
#include <memory>

namespace ck::measure {

/// Starts the i-th launch on the stream, for example on the i-th set of buffers.
using Launch = std::function<void(int i, hipStream_t stream)>;

/// How many sets of `bytes` bytes are more than any device's cache holds; at most 64.
int sets_beyond_caches(double bytes);

class Replay
{
public:
    /// `count` launches at a time. Calls launch here, or in time(). Throws what it throws.
    Replay(int count, const Launch& launch);
    ~Replay();
    Replay(const Replay&)            = delete;
    Replay& operator=(const Replay&) = delete;

    /// Milliseconds for a launch; waits for them.
    double time();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace ck::measure
