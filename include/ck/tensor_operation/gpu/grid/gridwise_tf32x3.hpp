#pragma once
// Splits floats into two that fit tf32's 11-bit mantissa, for tf32 matrix instructions: x = high +
// low, and xy = high * high + high * low + low * high up to a relative error of 2^-22 (Ootomo,
// Yokota: Recovering single precision accuracy from Tensor Cores while surpassing the FP32
// theoretical peak performance, 2022). The copy has three parts, one per product.
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"

#include <tuple>

namespace ck::grid {

/// Rounds to the nearest tf32 (10 stored mantissa bits); large values stay finite. Inf and NaN
/// stay.
CK_HOST_DEVICE CK_INLINE float rounded_to_tf32(float x)
{
    constexpr std::uint32_t exponent = 0x7f800000u, kept = 0xffffe000u;
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    if((bits & exponent) == exponent)
        return x;
    const std::uint32_t nearest = (bits + 0xfffu + (bits >> 13 & 1u)) & kept;
    return __builtin_bit_cast(float, (nearest & exponent) == exponent ? bits & kept : nearest);
}

/// Each thread copies some vectors of floats that are contiguous in the tensor and in the copy.
template <index_t vector>
struct GridwiseTf32x3 : FlatVectors<FlatIndex<6, 2>>
{
    struct Params
    {
        const float* from;
        float* to;
        FlatIndex<6, 2> index; ///< each vector's offset in the copy's first part, and in the tensor
        long_index_t part;     ///< elements of the copy from one part to the next
        index_t low_part;      ///< 1 or 2: what has the low halves; the others have the high ones
        index_t unused;        ///< instead of padding: a test compares bytes

        auto addresses() const { return std::tie(from, to); }
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        using Floats = Vector<float, vector>;
        Floats value[together];
        long_index_t to[together];
        repeat<together>([&](index_t i) {
            const auto at = place(p.index, i);
            to[i]         = at[0];
            value[i]      = *reinterpret_cast<const Floats*>(p.from + at[1]);
        });
        repeat<together>([&](index_t i) {
            if(number(i) >= p.index.count)
                return;
            Floats high, low;
            repeat<vector>([&](index_t e) {
                const float x = value[i][e];
                high[e]       = rounded_to_tf32(x);
                low[e]        = x - x == 0 ? rounded_to_tf32(x - high[e]) : 0.f;
            });
            const auto store = [&](index_t part, const Floats& floats) {
                *reinterpret_cast<Floats*>(p.to + to[i] + part * p.part) = floats;
            };
            store(0, high);
            store(p.low_part, low);
            store(3 - p.low_part, high);
        });
    }
};

} // namespace ck::grid
