#pragma once
// Computes elements of a result that are not finite again, by definition: a kernel that multiplies
// Inf with zeros of its own gets NaN.
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"

#include <tuple>

namespace ck::grid {

/// Each thread checks some vectors. Definition: compute(params, number) writes an element; adjacent
/// elements have consecutive numbers.
template <class Definition, index_t vector>
struct GridwiseReplaceNotFinite : FlatVectors<FlatIndex<6, 2>>
{
    struct Params
    {
        const float* result;
        FlatIndex<6, 2> index; ///< per vector: offsets in the result and in the definition
        typename Definition::Params definition;

        auto addresses() const { return std::tie(result, definition); }
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        using Floats = Vector<float, vector>;
        Floats value[together];
        repeat<together>([&](index_t i) {
            value[i] = *reinterpret_cast<const Floats*>(p.result + place(p.index, i)[0]);
        });
        float zero = 0; // NaN where one is not finite
        repeat<together>(
            [&](index_t i) { repeat<vector>([&](index_t e) { zero += value[i][e] * 0.f; }); });
        if(zero == 0)
            return;
        CK_NOT_UNROLLED
        for(index_t i = 0; i < together && number(i) < p.index.count; ++i)
        {
            const auto at = p.index(number(i));
            CK_NOT_UNROLLED
            for(index_t e = 0; e < vector; ++e)
                if(const float x = p.result[at[0] + e]; x - x != 0)
                    Definition::compute(p.definition, at[1] + e);
        }
    }
};

} // namespace ck::grid
