#pragma once
// The names of library/src/distributed/stream_event.hpp, by clocks: see streams.hpp.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime/several_devices.hpp"

#include "streams.hpp"

#define hipMemcpyAsync ck::test::copy

namespace ck::distributed {

class StreamEvent
{
public:
    void record(void* stream) { before_ = test::Streams::all().done_before(stream); }
    void hold(void* stream) const { test::Streams::all().hold(stream, before_); }

private:
    test::Streams::Clock before_;
};

class SideStream
{
public:
    SideStream()                             = default;
    SideStream(const SideStream&)            = delete;
    SideStream& operator=(const SideStream&) = delete;
    hipStream_t get() const { return const_cast<hipStream_t>(&stream_); }

private:
    ihipStream_t stream_;
};

} // namespace ck::distributed
