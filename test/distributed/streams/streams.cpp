// Clocks of streams; and what the library's sources call, which touches memory.
#include "streams.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include "distributed/sum_in_order.hpp"
#include <algorithm>
#include <utility>

namespace ck::test {

namespace {

/// Ranks share no default stream: each has a device of its own.
const void* own(const void* stream)
{
    static thread_local char default_stream;
    return stream != nullptr ? stream : &default_stream;
}

} // namespace

Streams& Streams::all()
{
    static Streams streams;
    return streams;
}

void Streams::watch(const void* memory, std::size_t bytes)
{
    const std::lock_guard lock(mutex_);
    const auto* const begin = static_cast<const char*>(memory);
    std::erase_if(touches_, [&](const Touch& t) { return t.meets(begin, begin + bytes); });
    watched_.push_back({nullptr, 0, begin, begin + bytes, false});
}

void Streams::touch(const void* stream, const void* memory, std::size_t bytes, bool writes)
{
    const std::lock_guard lock(mutex_);
    stream                  = own(stream);
    Clock& clock            = clocks_[stream];
    const auto* const begin = static_cast<const char*>(memory);
    const Touch touch{stream, ++clock[stream], begin, begin + bytes, writes};
    if(std::none_of(watched_.begin(), watched_.end(), [&](const Touch& w) {
           return w.meets(touch.begin, touch.end);
       }))
        return;
    for(const Touch& t : touches_)
        if(t.meets(touch.begin, touch.end) && (t.writes || writes) && clock[t.stream] < t.number)
            races_.push_back(std::string(writes ? "a write" : "a read") + " does not wait for " +
                             (t.writes ? "a write" : "a read"));
    touches_.push_back(touch);
}

Streams::Clock Streams::done_before(const void* stream)
{
    const std::lock_guard lock(mutex_);
    return clocks_[own(stream)];
}

void Streams::hold(const void* stream, const Clock& before)
{
    const std::lock_guard lock(mutex_);
    Clock& clock = clocks_[own(stream)];
    for(const auto& [other, number] : before)
        clock[other] = std::max(clock[other], number);
}

std::vector<std::string> Streams::races()
{
    const std::lock_guard lock(mutex_);
    watched_.clear();
    touches_.clear();
    return std::exchange(races_, {});
}

hipError_t
copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    Streams::all().touch(stream, from, bytes, false);
    Streams::all().touch(stream, to, bytes, true);
    return hipMemcpy(to, from, bytes, kind);
}

} // namespace ck::test

namespace ck::distributed {

long_index_t checked_count(std::size_t count) { return static_cast<long_index_t>(count); }

void sum_in_order(
    float* sums, const float* others, long_index_t count, int lists, int, hipStream_t stream)
{
    const auto numbers = static_cast<std::size_t>(count);
    test::Streams::all().touch(stream, sums, numbers * sizeof(float), true);
    for(std::size_t i = 0; i < numbers; ++i) // whole numbers, whose order does not matter
        for(std::size_t list = 0; list + 1 < static_cast<std::size_t>(lists); ++list)
            sums[i] += others[list * numbers + i];
}

} // namespace ck::distributed
