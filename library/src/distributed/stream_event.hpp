#pragma once
// An event that streams wait for, and a separate stream.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime/several_devices.hpp"

namespace ck::distributed {

/// A point on a stream, without timing.
class StreamEvent
{
public:
    StreamEvent() { HIP_CHECK_ERROR(hipEventCreateWithFlags(&event_, hipEventDisableTiming)); }
    ~StreamEvent() { static_cast<void>(hipEventDestroy(event_)); }
    StreamEvent(const StreamEvent&)            = delete;
    StreamEvent& operator=(const StreamEvent&) = delete;

    /// Marks the current end of the stream.
    void record(void* stream)
    {
        HIP_CHECK_ERROR(hipEventRecord(event_, static_cast<hipStream_t>(stream)));
    }
    /// Work that is enqueued on the stream from now on waits for the event.
    void hold(void* stream) const
    {
        HIP_CHECK_ERROR(hipStreamWaitEvent(static_cast<hipStream_t>(stream), event_, 0));
    }

private:
    hipEvent_t event_{};
};

/// A separate stream that does not wait for the default stream. It has the highest priority: its
/// transfers start even if a kernel has more blocks than fit on the device.
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
