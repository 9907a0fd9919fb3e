#pragma once
// What all kernels of this program share: one thread per element, and sums over a block.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/utility/type_convert.hpp"

namespace train {

using ck::index_t;

/// Threads per block. The CPU switches between a block's threads at each barrier, so fewer threads
/// are faster there.
inline constexpr index_t threads = ck::arch::emulated ? 32 : 256;

template <class T>
CK_DEVICE float read(const T* from, index_t i)
{
    return ck::type_convert<float>(from[i]);
}

template <class T>
CK_DEVICE void write(T* to, index_t i, float value)
{
    to[i] = ck::type_convert<T>(value);
}

/// Calls f(i) for each i below count.
template <class F>
struct ForEach
{
    struct Params
    {
        F f;
        index_t count;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size        = threads;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr auto requirement          = ck::arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const index_t i = ck::arch::block_index() * threads + ck::arch::thread_index();
        if(i < p.count)
            p.f(i);
    }
};

template <class F>
void for_each(index_t count, const F& f)
{
    ck::launch_and_time_kernel<ForEach<F>>({}, (count + threads - 1) / threads, {f, count});
}

/// Calls f(block, memory) in all threads of each block; the threads can form sums over the block.
struct BlockMemory
{
    float of[threads];

    /// The sum of `mine` over the threads, returned in every thread, with the same bits each time.
    CK_DEVICE float sum(float mine)
    {
        const index_t thread = ck::arch::thread_index();
        of[thread]           = mine;
        ck::arch::block_sync();
        for(index_t half = threads / 2; half > 0; half /= 2)
        {
            if(thread < half)
                of[thread] += of[thread + half];
            ck::arch::block_sync();
        }
        const float total = of[0];
        ck::arch::block_sync();
        return total;
    }
};

template <class F>
struct ForEachBlock
{
    using Params                               = F;
    using SharedStorage                        = BlockMemory;
    static constexpr index_t block_size        = threads;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr auto requirement          = ck::arch::Requirement::none;

    CK_DEVICE static void run(const Params& f, SharedStorage& memory)
    {
        f(ck::arch::block_index(), memory);
    }
};

template <class F>
void for_each_block(index_t blocks, const F& f)
{
    ck::launch_and_time_kernel<ForEachBlock<F>>({}, blocks, f);
}

} // namespace train
