#pragma once
// An event that streams wait for, and a stream beside the others.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime/several_devices.hpp"

namespace ck::distributed {

/// A point on a stream, without time.
class StreamEvent
{
public:
    StreamEvent() { HIP_CHECK_ERROR(hipEventCreateWithFlags(&event_, hipEventDisableTiming)); }
    ~StreamEvent() { static_cast<void>(hipEventDestroy(event_)); }
    StreamEvent(const StreamEvent&)            = delete;
    StreamEvent& operator=(const StreamEvent&) = delete;

    /// Is where the stream is now.
    void record(void* stream)
    {
        HIP_CHECK_ERROR(hipEventRecord(event_, static_cast<hipStream_t>(stream)));
    }
    /// What is put on the stream from now on comes after it.
    void hold(void* stream) const
    {
        HIP_CHECK_ERROR(hipStreamWaitEvent(static_cast<hipStream_t>(stream), event_, 0));
    }

private:
    hipEvent_t event_{};
};

/// A stream of its own, which does not wait for the default stream. Of the greatest priority: what
/// it transfers begins though a kernel has more blocks than there is room for.
class SideStream
{
public:
    SideStream()
    {
        int least = 0, greatest = 0;
        HIP_CHECK_ERROR(hipDeviceGetStreamPriorityRange(&least, &greatest));
        HIP_CHECK_ERROR(hipStreamCreateWithPriority(&stream_, hipStreamNonBlocking, greatest));
    }
    ~SideStream() { static_cast<void>(hipStreamDestroy(stream_)); }
    SideStream(const SideStream&)            = delete;
    SideStream& operator=(const SideStream&) = delete;

    hipStream_t get() const { return stream_; }

private:
    hipStream_t stream_{};
};

} // namespace ck::distributed
