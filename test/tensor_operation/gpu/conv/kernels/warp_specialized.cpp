// The roles of a warp-specialised kernel, and the pipeline by which they wait for each other.
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/skeleton.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <vector>

namespace ck::grid {
namespace {

/// Each thread writes what it did. Nothing is copied: the producer thread announces no bytes.
struct Roles : WarpSpecialized<Roles>
{
    using Registers                                = RegisterReallocation<256, 1, true, 40>;
    static constexpr index_t block_size            = Registers::block_size;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::wgmma;
    static constexpr index_t stages = 3, slices = 20;
    static constexpr index_t consumed = 100, copied = 200, assisted = 1000, prefetched = 5;

    struct Params
    {
        index_t* did; // [thread]
    };
    struct SharedStorage
    {
        CopyPipeline<stages> pipeline;
        volatile index_t acquired; // stages, by the producer thread
        index_t table[block_size];
    };

    CK_DEVICE static void prefetch(const Params& p) { p.did[arch::thread_index()] = prefetched; }
    CK_DEVICE static void prepare(SharedStorage& shared)
    {
        shared.pipeline.prepare(Registers::consumers / 32);
        shared.acquired = 0;
    }
    CK_DEVICE static void set_up(const Params&, SharedStorage& shared, index_t thread)
    {
        shared.table[thread] = thread;
    }
    /// Writes `consumed` and by how many stages the copies were ahead at most.
    CK_DEVICE static void multiply(const Params& p, SharedStorage& shared, index_t thread)
    {
        index_t ahead = 0;
        PipelineState stage;
        for(index_t number = 0; number < slices; ++number, stage.advance(stages))
        {
            shared.pipeline.wait(stage);
            ahead = math::max(ahead, shared.acquired - number);
            shared.pipeline.release(stage, thread % 32);
        }
        const bool table_was_set = shared.table[block_size - 1 - thread] == block_size - 1 - thread;
        p.did[thread]            = table_was_set ? consumed + ahead : 0;
    }
    CK_DEVICE static void copy(const Params& p, SharedStorage& shared)
    {
        PipelineState stage;
        for(index_t number = 0; number < slices; ++number, stage.advance(stages))
        {
            shared.pipeline.acquire(stage, 0);
            shared.acquired = number + 1;
        }
        p.did[Registers::consumers] += copied;
    }
    CK_DEVICE static void assist(const Params& p, SharedStorage&, index_t thread)
    {
        p.did[arch::thread_index()] = assisted + thread;
    }
};

TEST(WarpSpecialized, EachThreadHasItsRole)
{
    CK_SKIP_KERNEL_WITHOUT(Roles::requirement);
    std::vector<index_t> did(Roles::block_size);
    const DeviceMem memory(did.size() * sizeof(index_t));
    memory.ToDevice(did.data());
    HIP_CHECK_ERROR(
        arch::launch<Roles>(1, nullptr, {static_cast<index_t*>(memory.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    memory.FromDevice(did.data());
    const auto of = [&](index_t thread) { return did[static_cast<std::size_t>(thread)]; };
    constexpr index_t consumers = Roles::Registers::consumers;
    for(index_t thread = 0; thread < consumers; ++thread)
    {
        EXPECT_GE(of(thread), Roles::consumed) << thread;
        EXPECT_LE(of(thread), Roles::consumed + Roles::stages) << "a stage was copied to too early";
    }
    EXPECT_EQ(of(consumers), Roles::prefetched + Roles::copied);
    for(index_t thread = consumers + 1; thread < consumers + 32; ++thread)
        EXPECT_EQ(of(thread), 0) << "the producer thread's warp has no other work";
    for(index_t thread = consumers + 32; thread < Roles::block_size; ++thread)
        EXPECT_EQ(of(thread), Roles::assisted + thread - (consumers + 32));
}

} // namespace
} // namespace ck::grid
