#pragma once
// Operating system threads that share the blocks of a launch. The calling thread works too, so a
// launch never waits for a free thread. A child of fork() does not have its parent's threads, and
// their locks stay locked: it starts with its own pool.

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

    /// Lives until the process ends: threads that wait for work need not be joined.
    static Workers& instance()
    {
        Workers* const pool = current_.load(std::memory_order_acquire);
        return pool != nullptr ? *pool : make();
    }

    /// Calls task(argument, i) for each i in [0, count), on up to `threads` threads, or fewer if
    /// the system has no more. Throws what the first failing task threw; tasks not started by then
    /// are skipped. Throws std::logic_error in a child that was forked by one of several threads'
    /// tasks: no other thread can finish theirs there.
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
        index_t helpers = 0;               // running; guarded by mutex_
        std::atomic<long_index_t> next{0}; // 64 bits: it may exceed count by the number of threads
        std::atomic<bool> failed{false};
        std::exception_ptr error{}; // what the thread that set `failed` has thrown

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
        // Before a pool exists, so that no fork is missed. Threads that get here together may all
        // do it, which is harmless; a thread that waited for another one might be forked.
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

    /// Runs in a child before fork() returns: takes no lock and no memory. The parent's pool is not
    /// freed, since its mutexes may be locked, but stays reachable for leak checkers.
    static void leave_to_parent()
    {
        if(Workers* const parents = current_.exchange(nullptr))
        {
            parents->before_ = parents_;
            parents_         = parents;
        }
    }

    bool is_the_parents() const { return current_.load(std::memory_order_acquire) != this; }

    void start(index_t threads) // called with mutex_ locked
    {
        try
        {
            for(; started_ < threads; ++started_)
                std::thread([this] { serve(); }).detach();
        }
        catch(const std::system_error&)
        {} // the existing threads suffice
    }

    Job* take() // called with mutex_ locked
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
    Workers* before_ = nullptr; // the parent's pool, which may have one itself
};

} // namespace ck::arch::host
