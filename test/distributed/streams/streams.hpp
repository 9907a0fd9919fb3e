#pragma once
// Records what streams do to memory, and in which order events put it: as on a device, nothing else
// orders two streams.
#include "ck/host_utility/runtime.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ck::test {

class Streams
{
public:
    /// How much of each stream's work is done before.
    using Clock = std::map<const void*, std::size_t>;

    /// The streams of this process; its ranks are threads.
    static Streams& all();

    /// From now on touches of this memory are compared; earlier ones are forgotten.
    void watch(const void* memory, std::size_t bytes);
    /// Work on the stream that reads or writes memory.
    void touch(const void* stream, const void* memory, std::size_t bytes, bool writes);
    /// What is done before anything that is put on the stream from now on.
    Clock done_before(const void* stream);
    void hold(const void* stream, const Clock& before);
    /// Pairs of touches of watched memory, one of them at least a write, that nothing orders; they
    /// are forgotten.
    std::vector<std::string> races();

private:
    struct Touch
    {
        const void* stream;
        std::size_t number; ///< number of the work in its stream
        const char *begin, *end;
        bool writes;
        bool meets(const char* other_begin, const char* other_end) const
        {
            return begin < other_end && other_begin < end;
        }
    };

    std::mutex mutex_;
    std::map<const void*, Clock> clocks_;
    std::vector<Touch> watched_, touches_;
    std::vector<std::string> races_;
};

/// hipMemcpyAsync() of the library's sources.
hipError_t
copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream);

} // namespace ck::test
