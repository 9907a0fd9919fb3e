#pragma once
// Runs a grid on the host: blocks on operating system threads, the threads of a block as fibers.
//   CK_HOST_THREADS=n         operating system threads; default: one for each processor
//   CK_HOST_SCHEDULE_SEED=n   shuffles the order of blocks, waves and lanes, reproducibly
// Both are read at each launch.

#include "ck/arch/block_memory.hpp"
#include "ck/arch/host/fiber.hpp"
#include "ck/arch/host/workers.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>

namespace ck::arch::host {

/// The environment variable as an integer of at least `least`; empty if it is unset or empty.
inline std::optional<std::uint64_t> environment_number(const char* variable, std::uint64_t least)
{
    const char* const text = std::getenv(variable);
    if(text == nullptr || *text == '\0')
        return std::nullopt;
    const char* const last    = text + std::strlen(text);
    std::uint64_t value       = 0;
    const auto [end, problem] = std::from_chars(text, last, value);
    if(problem != std::errc{} || end != last || value < least)
        throw std::invalid_argument(std::string(variable) + "=" + text +
                                    ": must be an integer, at least " + std::to_string(least));
    return value;
}

inline index_t thread_count()
{
    constexpr std::uint64_t most = 1024;
    const auto wanted            = environment_number("CK_HOST_THREADS", 1);
    return static_cast<index_t>(
        std::min(most, wanted.value_or(std::max(1u, std::thread::hardware_concurrency()))));
}

inline std::string demangled(const std::type_info& type)
{
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
    return status == 0 ? text.get() : type.name();
}

/// The message of the exception that is being handled, of any type.
inline std::string what_is_thrown()
{
    try
    {
        throw;
    }
    catch(const std::exception& error)
    {
        return error.what();
    }
    catch(...)
    {
        return "it threw no std::exception";
    }
}

/// Shared memory of the blocks that run on one operating system thread. Filled before each block
/// with NaN, or with numbers, since kernels that recompute non-finite values would hide a NaN that
/// they read from there. Under AddressSanitizer each block gets its own memory of the exact size,
/// so that an access outside is found.
class SharedMemory
{
public:
    void* renew(std::size_t bytes, bool with_numbers)
    {
        if(address_sanitized || bytes > size_)
        {
            memory_.reset();
            memory_.reset(::operator new(bytes, alignment));
            size_ = bytes;
        }
        constexpr int nan = 0xFF, number = 0x4B; // for every element type
        return std::memset(memory_.get(), with_numbers ? number : nan, bytes);
    }
    void end_block()
    {
        if(address_sanitized)
        {
            memory_.reset();
            size_ = 0;
        }
    }

private:
    static constexpr std::align_val_t alignment{1024};
    struct Free
    {
        void operator()(void* p) const { ::operator delete(p, alignment); }
    };
    std::unique_ptr<void, Free> memory_{};
    std::size_t size_ = 0;
};

struct Grid
{
    const std::type_info& kernel;
    index_t blocks;
    index_t threads; // in a block
    std::size_t shared_bytes;
    void (*body)(const void* params, void* shared); // one thread of the kernel
    const void* params;
    std::optional<std::uint64_t> seed{};

    /// The i-th block to start; with a seed they start in another order.
    index_t block_at(index_t i) const
    {
        if(!seed)
            return i;
        Schedule order(*seed, std::numeric_limits<index_t>::max());
        const bool backwards = order.below(2) == 1;
        const index_t shifted =
            static_cast<index_t>((long_index_t{i} + order.below(blocks)) % blocks);
        return backwards ? blocks - 1 - shifted : shifted;
    }

    void run_block(index_t block)
    {
        static thread_local FiberBlock fibers;
        static thread_local SharedMemory shared_memory;
        struct Thread
        {
            const Grid& grid;
            void* shared;
        } thread{
            *this,
            shared_memory.renew(shared_bytes,
                                (static_cast<std::uint64_t>(block) + seed.value_or(0)) % 2 == 1)};
        block_memory = {thread.shared, shared_bytes};
        try
        {
            fibers.run(
                threads,
                block,
                seed ? Schedule(*seed, block) : Schedule{},
                [](void* p) {
                    const Thread& t = *static_cast<Thread*>(p);
                    t.grid.body(t.grid.params, t.shared);
                },
                &thread);
        }
        catch(...)
        {
            shared_memory.end_block();
            std::throw_with_nested(std::runtime_error("block " + std::to_string(block) + " of " +
                                                      std::to_string(blocks) + ", kernel " +
                                                      demangled(kernel) + ": " + what_is_thrown()));
        }
        shared_memory.end_block();
    }
};

/// Returns when the whole grid has run. An exception of a kernel is rethrown as a
/// std::runtime_error that names the kernel and the block, with the original nested in it.
inline void run_grid(Grid grid)
{
    if(current_block != nullptr)
        throw std::logic_error("a kernel was launched from inside a kernel");
    grid.seed = environment_number("CK_HOST_SCHEDULE_SEED", 0);
    Workers::instance().run(
        grid.blocks,
        thread_count(),
        [](void* p, index_t i) {
            Grid& g = *static_cast<Grid*>(p);
            g.run_block(g.block_at(i));
        },
        &grid);
}

} // namespace ck::arch::host
