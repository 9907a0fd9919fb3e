// A kernel that must spill: more values live across a barrier than a thread of its block has
// registers. It shows that kernel_resources finds spills; no test runs it.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"

namespace ck {

struct SpillingKernel
{
    struct Params
    {
        float* data;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 1024;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        float* data = p.data + arch::thread_index() * 300;
        float values[300];
#pragma unroll
        for(int i = 0; i < 300; ++i)
            values[i] = data[i];
        arch::block_sync();
#pragma unroll
        for(int i = 0; i < 300; ++i)
            data[i] = values[299 - i];
    }
};

hipError_t start_spilling_kernel(float* data)
{
    return arch::launch<SpillingKernel>(1, {}, {data});
}

} // namespace ck
