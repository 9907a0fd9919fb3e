#pragma once
// A parallel loop on the host's threads.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// A thread that joins when it is destroyed.
struct joinable_thread : std::thread
{
    using std::thread::thread;
    /// Takes over the thread.
    joinable_thread(joinable_thread&&) = default;
    /// Takes over the thread; its own must have been joined.
    joinable_thread& operator=(joinable_thread&&) = default;
    ~joinable_thread()
    {
        if(joinable())
            join();
    }
};

namespace ck::utils {

/// The number of threads that host code uses: CK_HOST_THREADS, or one for each hardware thread.
inline std::size_t host_threads()
{
    const char* text = std::getenv("CK_HOST_THREADS");
    if(text == nullptr || *text == '\0')
        return std::max(1u, std::thread::hardware_concurrency());
    const std::string_view digits = text;
    std::size_t threads           = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), threads);
    if(error != std::errc{} || end != digits.data() + digits.size() || threads < 1 ||
       threads > 4096)
        throw std::invalid_argument("CK_HOST_THREADS=\"" + std::string(digits) +
                                    "\": must be a whole number from 1 to 4096");
    return threads;
}

namespace detail {

/// The body of a loop: a function that is called with `f` and a part's begin and end. This way the
/// code of the threads is compiled once, not for each loop.
struct LoopBody
{
    const void* f;
    void (*call)(const void* f, std::size_t begin, std::size_t end);
};

/// utils::parallel_for on several threads.
inline void
parallel_for(std::size_t count, std::size_t grain, std::size_t threads, const LoopBody& body)
{
    std::mutex mutex; // guards next and failure
    std::size_t next = 0;
    std::exception_ptr failure;
    const auto work = [&] {
        for(;;)
        {
            std::size_t begin;
            {
                const std::lock_guard lock(mutex);
                if(next >= count || failure)
                    return;
                begin = next;
                next  = std::min(count, next + grain);
            }
            try
            {
                body.call(body.f, begin, std::min(count, begin + grain));
            }
            catch(...)
            {
                const std::lock_guard lock(mutex);
                if(!failure)
                    failure = std::current_exception();
            }
        }
    };
    {
        std::vector<joinable_thread> others;
        for(std::size_t i = 1; i < threads; ++i)
            others.emplace_back(work);
        work();
    }
    if(failure)
        std::rethrow_exception(failure);
}

} // namespace detail

/// Calls f(begin, end) for consecutive parts of [0, count), on `threads` threads. A thread that is
/// free takes the next `grain` iterations. The first exception is rethrown once all threads have
/// stopped.
template <class F>
void parallel_for(std::size_t count, std::size_t grain, std::size_t threads, const F& f)
{
    grain   = std::max<std::size_t>(grain, 1);
    threads = std::min(threads, (count + grain - 1) / grain);
    if(threads > 1)
        detail::parallel_for(
            count, grain, threads, {&f, [](const void* g, std::size_t begin, std::size_t end) {
                                        (*static_cast<const F*>(g))(begin, end);
                                    }});
    else if(count > 0)
        f(std::size_t{0}, count);
}

} // namespace ck::utils
