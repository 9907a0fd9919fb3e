#pragma once
// Computes elements of a result again that are not finite, by the definition: what a kernel makes
// of Inf is NaN where it multiplies Inf with zeros of its own.
#include "ck/arch/index.hpp"
#include "ck/tensor_description/flat_index.hpp"

namespace ck::grid {

/// A thread looks at some vectors of neighbours. Definition: compute(params, number) writes an
/// element; neighbours have numbers that follow each other.
template <class Definition, index_t vector>
struct GridwiseReplaceNotFinite
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t together              = 4;

    struct Params
    {
        const float* result;
        FlatIndex<6, 2> index; ///< of vectors: offsets in the result, and the definition's numbers
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
        using Floats = Vector<float, vector>;
        const long_index_t first =
            long_index_t{arch::block_index()} * (together * block_size) + arch::thread_index();
        Floats value[together];
        repeat<together>([&](index_t i) {
            const long_index_t number = first + i * block_size;
            value[i]                  = *reinterpret_cast<const Floats*>(
                p.result + p.index(number < p.index.count ? number : 0)[0]);
        });
        float zero = 0; // NaN where one is not finite
        repeat<together>(
            [&](index_t i) { repeat<vector>([&](index_t e) { zero += value[i][e] * 0.f; }); });
        if(zero == 0)
            return;
        CK_NOT_UNROLLED
        for(index_t i = 0; i < together; ++i)
        {
            const long_index_t number = first + i * block_size;
            if(number >= p.index.count)
                return;
            const auto at = p.index(number);
            CK_NOT_UNROLLED
            for(index_t e = 0; e < vector; ++e)
                if(const float x = p.result[at[0] + e]; x - x != 0)
                    Definition::compute(p.definition, at[1] + e);
        }
    }
};

} // namespace ck::grid
