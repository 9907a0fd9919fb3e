#pragma once
// Operating system threads that share the blocks of a launch. The calling thread works too, so a
// launch never waits for a thread to become free, and a forked child, which has none, still
// finishes.

#include "ck/utility/integer.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ck::arch::host {

class Workers
{
public:
    using Task = void (*)(void* argument, index_t i);

    /// Lives until the process ends: threads that wait for work need no farewell.
    static Workers& instance()
    {
        static Workers& workers = *new Workers;
        return workers;
    }

    /// task(argument, i) for each i in [0, count), on up to `threads` threads. Throws what the
    /// first failing task threw; tasks not begun by then are left out.
    void run(index_t count, index_t threads, Task task, void* argument)
    {
        Job job{task, argument, count, std::min(threads, count) - 1};
        if(job.helpers_wanted > 0)
        {
            const std::lock_guard lock(mutex_);
            for(; started_ < job.helpers_wanted; ++started_)
                std::thread([this] { serve(); }).detach();
            open_.push_back(&job);
            work_.notify_all();
        }
        job.work();
        {
            std::unique_lock lock(mutex_);
            open_.erase(std::remove(open_.begin(), open_.end(), &job), open_.end());
            done_.wait(lock, [&] { return job.helpers == 0; });
        }
        if(job.error)
            std::rethrow_exception(job.error);
    }

private:
    struct Job
    {
        Task task;
        void* argument;
        index_t count;
        index_t helpers_wanted;            // guarded by mutex_
        index_t helpers = 0;               // at work; guarded by mutex_
        std::atomic<long_index_t> next{0}; // 64 bits: it may pass count by the number of threads
        std::mutex error_mutex{};
        std::exception_ptr error{};

        void work()
        {
            for(;;)
            {
                const long_index_t i = next.fetch_add(1, std::memory_order_relaxed);
                if(i >= count)
                    return;
                try
                {
                    task(argument, static_cast<index_t>(i));
                }
                catch(...)
                {
                    const std::lock_guard lock(error_mutex);
                    if(!error)
                        error = std::current_exception();
                    next = count;
                }
            }
        }
    };

    Job* take() // under mutex_
    {
        for(Job* const job : open_)
            if(job->helpers_wanted > 0)
            {
                --job->helpers_wanted;
                ++job->helpers;
                return job;
            }
        return nullptr;
    }

    void serve()
    {
        std::unique_lock lock(mutex_);
        for(;;)
        {
            Job* job = nullptr;
            work_.wait(lock, [&] { return (job = take()) != nullptr; });
            lock.unlock();
            job->work();
            lock.lock();
            if(--job->helpers == 0)
                done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable work_, done_;
    std::vector<Job*> open_;
    index_t started_ = 0;
};

} // namespace ck::arch::host
