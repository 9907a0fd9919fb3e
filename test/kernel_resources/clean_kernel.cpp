// A kernel that does not spill; see spilling_kernel.cpp in this folder. It uses a function of the
// device library, which must link.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"

namespace ck {

struct CleanKernel
{
    struct Params
    {
        float* data;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 64;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        float& x = p.data[arch::thread_index()];
        x        = ::erff(x);
    }
};

hipError_t start_clean_kernel(float* data) { return arch::launch<CleanKernel>(1, {}, {data}); }

} // namespace ck
