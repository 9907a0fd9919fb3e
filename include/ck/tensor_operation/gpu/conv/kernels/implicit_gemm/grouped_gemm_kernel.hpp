#pragma once
// A list of GEMMs of different sizes in one launch: the blocks of each GEMM follow the last one's.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/implicit_gemm/kernel.hpp"

namespace ck::grid {

/// Gemm: the kernel that would compute a single GEMM, a GridwiseConv. The parameters and first
/// block numbers of all GEMMs are in device memory.
template <class Gemm>
struct GridwiseGroupedGemm
{
    static constexpr index_t block_size            = Gemm::block_size;
    static constexpr index_t min_blocks_per_cu     = Gemm::min_blocks_per_cu;
    static constexpr arch::Requirement requirement = Gemm::requirement;

    using SharedStorage = typename Gemm::SharedStorage;

    struct Params
    {
        const typename Gemm::Params* gemm; // [count], each with at least one block
        const index_t* first_block;        // [count], ascending, the first is 0
        index_t count;                     // gemms, at least 1
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t block              = arch::block_index();
        const index_t* const first_block = arch::constant_uniform(p.first_block);
        index_t low = 0, high = p.count; // first_block[low] <= block < first_block[high]
        while(high - low > 1)
        {
            const index_t middle = (low + high) / 2;
            if(first_block[middle] <= block)
                low = middle;
            else
                high = middle;
        }
        Gemm::run_block(*arch::constant_uniform(p.gemm + low), block - first_block[low], shared);
    }
};

} // namespace ck::grid
