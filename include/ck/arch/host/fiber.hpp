#pragma once
// Runs the threads of a block as fibers of one operating system thread. Fibers switch to each other
// directly, and are reused for the threads of the next block.

#include "ck/arch/host/block.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#define CK_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define CK_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CK_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define CK_THREAD_SANITIZER 1
#endif
#endif

#if defined(CK_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(CK_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace ck::arch::host {

#if defined(CK_ADDRESS_SANITIZER)
inline constexpr bool address_sanitized = true;
#else
inline constexpr bool address_sanitized  = false;
#endif
#if defined(CK_THREAD_SANITIZER)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized   = false;
#endif

// Bytes of one fiber's stack. Pages that are never touched cost nothing; frames are large if
// inlined kernels are not optimised, or are instrumented.
#if defined(CK_ADDRESS_SANITIZER) || defined(CK_THREAD_SANITIZER) || !defined(__OPTIMIZE__)
inline constexpr std::size_t stack_bytes = 1 << 20;
#else
inline constexpr std::size_t stack_bytes = 256 << 10;
#endif

class FiberBlock final : public Block
{
public:
    using Body = void (*)(void* argument);

    FiberBlock() { contexts_.resize(1); }
    FiberBlock(const FiberBlock&)            = delete;
    FiberBlock& operator=(const FiberBlock&) = delete;

    ~FiberBlock() override
    {
        // exit() inside a kernel: its own stack must stay. ThreadSanitizer would count the
        // functions that a fiber leaves at its end as left by this thread.
        if(running_ != main_context || thread_sanitized)
        {
            [[maybe_unused]] auto* const leaked =
                new std::vector<Context>(std::move(contexts_)); // NOLINT
            return;
        }
        quit_ = true;
        for(std::size_t i = 1; i < contexts_.size(); ++i)
            resume(i);
    }

    /// Runs body(argument) once in each of `threads` threads. Throws what the first of them threw,
    /// or a std::runtime_error if they wait for each other for ever.
    void run(index_t threads, index_t block, const Schedule& schedule, Body body, void* argument)
    {
        while(contexts_.size() < static_cast<std::size_t>(threads) + 1)
            add_fiber();
        begin(threads, schedule);
        body_          = body;
        argument_      = argument;
        position.block = block;
#if defined(CK_THREAD_SANITIZER)
        contexts_[main_context].watched = __tsan_get_current_fiber();
#endif
        current_block = this;
        change_to(first());
        current_block = nullptr;
        position      = Position{};
        if(error())
            std::rethrow_exception(error());
    }

private:
    struct Context // 0 is the caller of run, 1 + t is thread t
    {
        boost::context::fiber fiber{}; // while suspended
        const void* stack_bottom = nullptr;
        std::size_t stack_size   = 0;
        void* fake_stack         = nullptr; // AddressSanitizer's, while suspended
        void* watched            = nullptr; // ThreadSanitizer's handle
    };
    static constexpr std::size_t main_context = 0;

    void change_to(index_t thread) override
    {
        position.thread = thread;
        resume(static_cast<std::size_t>(thread) + 1);
    }

    CK_INLINE void resume(std::size_t next)
    {
        const std::size_t me = running_;
        if(me == next)
            return;
        leave(&contexts_[me].fake_stack, next);
        boost::context::fiber from = jump_to(std::move(contexts_[next].fiber));
        arrive(me, std::move(from));
    }

#if defined(CK_THREAD_SANITIZER)
    // ThreadSanitizer counts functions that fibers enter and leave: one function has all jumps.
    [[gnu::noinline]]
#else
    CK_INLINE
#endif
    static boost::context::fiber
    jump_to(boost::context::fiber to)
    {
        return std::move(to).resume();
    }

    CK_INLINE void leave([[maybe_unused]] void** keep_fake_stack, std::size_t next)
    {
        previous_ = running_;
        running_  = next;
#if defined(CK_ADDRESS_SANITIZER)
        const Context& to = contexts_[next];
        __sanitizer_start_switch_fiber(keep_fake_stack, to.stack_bottom, to.stack_size);
#elif defined(CK_THREAD_SANITIZER)
        __tsan_switch_to_fiber(contexts_[next].watched, 0);
#endif
    }

    /// The first call in a context that was resumed: stores the context that resumed it.
    CK_INLINE void arrive([[maybe_unused]] std::size_t me, boost::context::fiber from)
    {
#if defined(CK_ADDRESS_SANITIZER)
        const void* bottom = nullptr;
        std::size_t size   = 0;
        __sanitizer_finish_switch_fiber(contexts_[me].fake_stack, &bottom, &size);
        if(previous_ == main_context)
        {
            contexts_[main_context].stack_bottom = bottom;
            contexts_[main_context].stack_size   = size;
        }
#endif
        contexts_[previous_].fiber = std::move(from);
    }

    void add_fiber()
    {
        const std::size_t me = contexts_.size();
        contexts_.emplace_back();
        boost::context::protected_fixedsize_stack allocator(stack_bytes);
        const boost::context::stack_context stack = allocator.allocate();
        // Stacks start at the same offset in their pages, so the hot frames of all threads would
        // share a few cache sets. Different offsets spread them over all sets.
        constexpr std::size_t page = 4096, step = 192;
        const std::size_t offset   = me * step % page / 64 * 64;
        contexts_[me].stack_bottom = static_cast<char*>(stack.sp) - stack.size;
        contexts_[me].stack_size   = stack.size - offset;
#if defined(CK_THREAD_SANITIZER)
        contexts_[me].watched = __tsan_create_fiber(0);
#endif
        contexts_[me].fiber = boost::context::fiber(
            std::allocator_arg,
            boost::context::preallocated(
                static_cast<char*>(stack.sp) - offset, stack.size - offset, stack),
            allocator,
            [this, me](boost::context::fiber&& from) {
                arrive(me, std::move(from));
                return serve(me);
            });
    }

    /// Runs one thread of each block; returns the fiber to continue with at the end.
    boost::context::fiber serve(std::size_t me)
    {
        const index_t thread = static_cast<index_t>(me) - 1;
        while(!quit_)
        {
            run_thread();
            const index_t next = end(thread);
            if(next >= 0)
                change_to(next);
            else
                resume(main_context);
        }
        leave(nullptr, main_context);
        return std::move(contexts_[main_context].fiber);
    }

    void run_thread()
    {
        if(abandoned())
            return;
        try
        {
            body_(argument_);
        }
        catch(const Abandoned&)
        {}
        catch(...)
        {
            give_up(std::current_exception());
        }
    }

    std::vector<Context> contexts_;
    std::size_t running_  = main_context;
    std::size_t previous_ = main_context; // the context that switched to the running one
    Body body_            = nullptr;
    void* argument_       = nullptr;
    bool quit_            = false;
};

} // namespace ck::arch::host
