#pragma once
// Operating system threads that share the blocks of a launch. The calling thread works too, so a
// launch never waits for a thread to become free. A child of fork() has none of its parent's
// threads, and what they held locked stays so: it begins with a pool of its own.

#include "ck/utility/integer.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <system_error>
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
        Workers* const pool = current_.load(std::memory_order_acquire);
        return pool != nullptr ? *pool : make();
    }

    /// task(argument, i) for each i in [0, count), on up to `threads` threads; on fewer where the
    /// system has no more. Throws what the first failing task threw; tasks not begun by then are
    /// left out. Throws std::logic_error in a child that one of several threads' tasks has forked:
    /// it has no others to finish theirs.
    void run(index_t count, index_t threads, Task task, void* argument)
    {
        Job job{task, argument, count, std::min(threads, count) - 1};
        const bool alone = job.helpers_wanted <= 0;
        if(!alone)
        {
            const std::lock_guard lock(mutex_);
            start(job.helpers_wanted);
            open_.push_back(&job);
            work_.notify_all();
        }
        job.work();
        if(!alone)
        {
            if(is_the_parents())
                throw std::logic_error("a kernel has forked the process: its child cannot finish "
                                       "the launch, for which it lacks threads");
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
        std::atomic<bool> failed{false};
        std::exception_ptr error{}; // of the thread that has set `failed`

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
                    if(!failed.exchange(true))
                        error = std::current_exception();
                    next = count;
                }
            }
        }
    };

    static Workers& make()
    {
        // Before there is a pool, so that no fork is missed. Threads that come here at the same
        // time may all do it, which does no harm; one that waited for another might be forked.
        if(!watches_forks_.load(std::memory_order_acquire))
        {
            if(pthread_atfork(nullptr, nullptr, leave_to_parent) != 0)
                throw std::bad_alloc();
            watches_forks_.store(true, std::memory_order_release);
        }
        auto* const made = new Workers;
        Workers* first   = nullptr;
        if(current_.compare_exchange_strong(first, made))
            return *made;
        delete made;
        return *first;
    }

    /// In a child, before fork() returns: no lock, no memory. The parent's pool is not freed, since
    /// its mutexes may be locked, but stays where leak checkers find it.
    static void leave_to_parent()
    {
        if(Workers* const parents = current_.exchange(nullptr))
        {
            parents->before_ = parents_;
            parents_         = parents;
        }
    }

    bool is_the_parents() const { return current_.load(std::memory_order_acquire) != this; }

    void start(index_t threads) // under mutex_
    {
        try
        {
            for(; started_ < threads; ++started_)
                std::thread([this] { serve(); }).detach();
        }
        catch(const std::system_error&)
        {} // those that there are suffice
    }

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
            if(is_the_parents())
            {
                lock.release();
                return;
            }
            lock.lock();
            if(--job->helpers == 0)
                done_.notify_all();
        }
    }

    static inline constinit std::atomic<Workers*> current_{nullptr};
    static inline constinit std::atomic<bool> watches_forks_{false};
    static inline constinit Workers* parents_ = nullptr;

    std::mutex mutex_;
    std::condition_variable work_, done_;
    std::vector<Job*> open_;
    index_t started_ = 0;
    Workers* before_ = nullptr; // the parent's parent's
};

} // namespace ck::arch::host
