#pragma once
// One running block on the host: which of its threads wait, for what, and which one runs
// next. A derived class (host/fiber.hpp) switches between threads, so that code which
// only takes part in a block, such as an emulated instruction, does not need a fiber
// library.

#include "ck/utility/integer.hpp"

#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ck::arch::host {

/// The position in the grid of the code that runs now.
struct Position
{
    index_t thread = 0;
    index_t block  = 0;
};
inline constinit thread_local Position position{};

/// Unwinds the threads of a block that was abandoned.
struct Abandoned
{};

/// The order in which threads run. Without a seed: the next one that can run, by number. With a
/// seed: drawn at every point where a switch is possible, so that code which relies on an order
/// that no barrier guarantees fails with some seed. Each block also draws how much it favours the
/// threads of the current wave, so that in some blocks waves stay close, and in others one runs far
/// ahead.
class Schedule
{
public:
    Schedule() = default;
    Schedule(std::uint64_t seed, index_t block)
        : random_{(seed + 1) * 0x9E3779B97F4A7C15u ^
                  (static_cast<std::uint64_t>(block) + 1) * 0xD1B54A32D192ED03u},
          shuffled_{true}
    {
        draw(); // similar seeds give similar first values
        draw();
        constexpr std::uint32_t chances[] = {0, 128, 240, 255}; // chances in 256
        stay_in_wave_                     = chances[draw() % 4];
    }

    bool shuffled() const { return shuffled_; }
    bool stays_in_wave() { return draw() % 256 < stay_in_wave_; }
    index_t below(index_t bound) { return static_cast<index_t>(draw() % bound); }

private:
    std::uint32_t draw() // splitmix64
    {
        std::uint64_t x = random_ += 0x9E3779B97F4A7C15u;
        x               = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x               = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return static_cast<std::uint32_t>(x >> 32);
    }

    std::uint64_t random_       = 0;
    std::uint32_t stay_in_wave_ = 0;
    bool shuffled_              = false;
};

class Block
{
public:
    virtual ~Block() = default;

    // Everything between a kernel and a switch of threads is inlined: the processor predicts return
    // addresses from the calls it saw, and after a switch every return is mispredicted. Each level
    // of calls costs a few ns.

    /// Waits until all threads of the block have called this.
    CK_INLINE void barrier()
    {
        const index_t me = position.thread;
        if(++at_barrier_ < size_)
            return wait(me, State::at_barrier);
        at_barrier_ = 0;
        release(0, size_);
        pass(me);
    }

    /// Waits until another thread calls wake().
    CK_INLINE void sleep() { wait(position.thread, State::asleep); }
    /// Lets all sleeping threads go on.
    void wake()
    {
        for(State& state : state_)
            if(state == State::asleep)
                state = State::ready;
    }

    /// Waits until all `lanes` threads of its aligned group have called this. The
    /// last to arrive calls execute(of_lane), where of_lane[i] is the i-th thread's
    /// `mine`.
    template <class F>
    CK_INLINE void rendezvous(index_t lanes, void* mine, F&& execute)
    {
        const index_t me = position.thread, first = me & -lanes;
        if(lanes < 2 || (lanes & (lanes - 1)) != 0 || first + lanes > size_)
            bad_group(lanes, me);
        brought_[me] = mine;
        // groups of different sizes have different middles
        index_t& arrived = arrived_[first + lanes / 2];
        if(++arrived < lanes)
            return wait(me, State::in_wave);
        arrived = 0;
        std::forward<F>(execute)(static_cast<void* const*>(&brought_[first]));
        release(first, lanes);
        pass(me);
    }

protected:
    enum class State : unsigned char
    {
        ready,
        at_barrier,
        in_wave,
        asleep,
        ended
    };

    /// Suspends the running thread and resumes `thread`; returns when the running one is resumed.
    virtual void change_to(index_t thread) = 0;

    void begin(index_t size, const Schedule& schedule)
    {
        size_       = size;
        live_       = size;
        at_barrier_ = 0;
        schedule_   = schedule;
        error_      = nullptr;
        abandoned_  = false;
        state_.assign(size, State::ready);
        arrived_.assign(size, 0);
        brought_.assign(size, nullptr);
    }

    /// The thread to start with, or to continue with after one has ended; -1 if none is left.
    index_t first() { return schedule_.shuffled() ? drawn(0) : 0; }
    index_t end(index_t me)
    {
        state_[me] = State::ended;
        if(--live_ == 0)
            return -1;
        index_t next = choose(me);
        if(next < 0)
        {
            give_up(std::make_exception_ptr(std::runtime_error(deadlock())));
            next = choose(me);
        }
        return next;
    }

    /// Makes all threads unwind and end; keeps the first reason.
    void give_up(std::exception_ptr reason)
    {
        if(!abandoned_)
            error_ = reason;
        abandoned_ = true;
        for(State& state : state_)
            if(state != State::ended)
                state = State::ready;
    }

    bool abandoned() const { return abandoned_; }
    std::exception_ptr error() const { return error_; }

private:
    static constexpr index_t wave = 64; // threads that are favoured when one waits

    CK_INLINE void wait(index_t me, State reason)
    {
        state_[me]         = reason;
        const index_t next = choose(me);
        if(next < 0)
            give_up_deadlocked();
        change(me, next);
    }

    /// The calling thread could go on; if shuffled, another may run first.
    CK_INLINE void pass(index_t me)
    {
        if(schedule_.shuffled())
            if(const index_t next = drawn(me); next != me)
                change(me, next);
    }

    CK_INLINE void change(index_t me, index_t next)
    {
        change_to(next);
        position.thread = me;
        if(abandoned_)
            unwind();
    }

    [[noreturn]] static void unwind() { throw Abandoned{}; }
    [[noreturn]] void give_up_deadlocked()
    {
        give_up(std::make_exception_ptr(std::runtime_error(deadlock())));
        unwind();
    }

    void release(index_t first, index_t count)
    {
        std::memset(&state_[first], static_cast<int>(State::ready), count);
    }

    /// The first ready thread in [begin, end), or -1.
    index_t ready_in(index_t begin, index_t end) const
    {
        if(begin >= end)
            return -1;
        const State* const from = &state_[begin];
        const void* const found = std::memchr(from, static_cast<int>(State::ready), end - begin);
        return found == nullptr
                   ? -1
                   : begin + static_cast<index_t>(static_cast<const State*>(found) - from);
    }

    /// The first ready thread from `start` on, going around in [begin, end).
    index_t ready_from(index_t start, index_t begin, index_t end) const
    {
        const index_t found = ready_in(start, end);
        return found >= 0 ? found : ready_in(begin, start);
    }

    index_t choose(index_t me)
    {
        if(schedule_.shuffled())
            return drawn(me);
        const index_t next = me + 1;
        if(next < size_ && state_[next] == State::ready) // nearly always
            return next;
        const index_t wave_begin = me - me % wave, wave_end = math::min(wave_begin + wave, size_);
        const index_t found = ready_from(me, wave_begin, wave_end);
        return found >= 0 ? found : ready_from(me, 0, size_);
    }

    index_t drawn(index_t me)
    {
        if(schedule_.stays_in_wave())
        {
            const index_t begin = me - me % wave, end = math::min(begin + wave, size_);
            const index_t found = ready_from(begin + schedule_.below(end - begin), begin, end);
            if(found >= 0)
                return found;
        }
        return ready_from(schedule_.below(size_), 0, size_);
    }

    std::string deadlock() const
    {
        index_t count[5] = {};
        for(const State state : state_)
            ++count[static_cast<int>(state)];
        const auto text = [&](State state) {
            return std::to_string(count[static_cast<int>(state)]);
        };
        return "deadlock: of " + std::to_string(size_) + " threads, " + text(State::at_barrier) +
               " wait at a block barrier, " + text(State::in_wave) + " in a wave operation" +
               (count[static_cast<int>(State::asleep)] == 0
                    ? ""
                    : ", " + text(State::asleep) + " at a transaction barrier") +
               " and " + text(State::ended) +
               " have ended; every thread of the block or wave must come";
    }

    [[noreturn]] void bad_group(index_t lanes, index_t me) const
    {
        throw std::logic_error(
            "wave operation of " + std::to_string(lanes) + " lanes in thread " +
            std::to_string(me) + " of " + std::to_string(size_) +
            ": lanes must be a power of two, at least 2, and the aligned group " +
            "must lie inside the block");
    }

    std::vector<State> state_;     // by thread
    std::vector<void*> brought_;   // by thread
    std::vector<index_t> arrived_; // by middle of group
    index_t size_       = 0;       // threads
    index_t live_       = 0;       // threads that have not ended
    index_t at_barrier_ = 0;
    Schedule schedule_;
    bool abandoned_ = false;
    std::exception_ptr error_;
};

/// The block that runs on this operating system thread; null outside kernels.
inline constinit thread_local Block* current_block = nullptr;

[[noreturn]] inline void outside_kernel(const char* who)
{
    throw std::logic_error(std::string(who) + " was called outside a kernel");
}

CK_INLINE Block& require_block(const char* who)
{
    if(current_block == nullptr)
        outside_kernel(who);
    return *current_block;
}

} // namespace ck::arch::host
