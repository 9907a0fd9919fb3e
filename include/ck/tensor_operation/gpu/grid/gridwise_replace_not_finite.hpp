#pragma once
// Computes elements of a result again that are not finite, by the definition: what a kernel makes
// of Inf is NaN where it multiplies Inf with zeros of its own.
#include "ck/arch/index.hpp"
#include "ck/tensor_description/flat_index.hpp"

namespace ck::grid {

/// A thread looks at some floats. Definition: compute(params, number) writes an element.
template <class Definition>
struct GridwiseReplaceNotFinite
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t together              = 4;

    struct Params
    {
        const float* result;
        FlatIndex<6, 2> index; ///< offsets in the result, and the definition's numbers
        typename Definition::Params definition;
    };
    struct SharedStorage
    {};

    static long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.index.count, long_index_t{together * block_size});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const long_index_t first =
            long_index_t{arch::block_index()} * (together * block_size) + arch::thread_index();
        float value[together];
        repeat<together>([&](index_t i) {
            const long_index_t number = first + i * block_size;
            value[i]                  = p.result[p.index(number < p.index.count ? number : 0)[0]];
        });
        CK_NOT_UNROLLED
        for(index_t i = 0; i < together; ++i)
        {
            const long_index_t number = first + i * block_size;
            const float x             = value[0];
            repeat<together - 1>([&](index_t j) { value[j] = value[j + 1]; });
            if(number < p.index.count && x - x != 0)
                Definition::compute(p.definition, p.index(number)[1]);
        }
    }
};

} // namespace ck::grid
