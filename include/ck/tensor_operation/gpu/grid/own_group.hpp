#pragma once
// Merged groups are separated by zero weights. Zero times Inf or NaN is NaN, so an element of the
// first operand that is not finite makes the sums of all merged groups NaN. Sums that are not
// finite are therefore computed again from their own group's products only.
//
// If all sums are finite, a wave only checks each once; otherwise this takes long.
#include "ck/tensor_operation/gpu/thread/operand_element.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"
#include "ck/utility/math_v2.hpp"
#include "ck/utility/number.hpp"

namespace ck::grid {

/// Whether x is neither Inf nor NaN.
template <class T>
CK_DEVICE CK_INLINE bool is_finite(T x)
{
    return x - x == 0;
}

/// Replaces each of the lane's non-finite sums by sum(row, column) of the wave's tile.
template <class Wave, class Sum>
CK_DEVICE CK_INLINE void replace_not_finite(Wave& wave, index_t lane, const Sum& sum)
{
    using Accumulator        = typename Wave::Accumulator;
    constexpr index_t values = Wave::instruction.c_values;
    constexpr index_t count  = Wave::m_tiles * Wave::n_tiles * values;
    // Accumulators are registers, so their indices must be constants.
    const auto c = [&](index_t n) -> Accumulator& {
        return wave.c[n / values / Wave::n_tiles][n / values % Wave::n_tiles][n % values];
    };
    // A sum, because a flag per accumulator would take more scalar registers than gfx90a has.
    Accumulator zero = 0;
    repeat<count>([&](index_t n) { zero += c(n) * Accumulator{0}; });
    if(is_finite(zero))
        return;
    CK_NOT_UNROLLED
    for(index_t n = 0; n < count; ++n)
    {
        Accumulator first = c(0);
        if(!is_finite(first))
        {
            const auto at      = Wave::coordinate(lane, n % values);
            const index_t tile = n / values;
            first              = sum(tile / Wave::n_tiles * Wave::tile_m + at.m,
                        Wave::tile_column(tile % Wave::n_tiles) + at.n);
        }
        repeat<count - 1>([&](index_t i) { c(i) = c(i + 1); }); // each is the first once
        c(count - 1) = first;
    }
}

/// Returns the sum for row a_row and column b_row of its own group's products, without products
/// with other groups' zeros. Stops at a NaN, which stays NaN. a, b: return the number at a place, a
/// Part.
template <class Accumulator, class ViewA, class ViewB, class A, class B>
CK_DEVICE CK_INLINE Accumulator sum_of_own_group(const ViewA& view_a,
                                                 const ViewB& view_b,
                                                 const thread::PlaceEntry<ViewA>& a_row,
                                                 const thread::PlaceEntry<ViewB>& b_row,
                                                 index_t a_bytes,
                                                 index_t b_bytes,
                                                 const A& a,
                                                 const B& b)
{
    Accumulator sum = 0;
    CK_NOT_UNROLLED
    for(index_t i = 0; i < view_a.template extent<1>() && !math::isnan(sum); ++i)
    {
        const arch::offset_t weight = thread::place_of(
            view_b, b_row, thread::place_entry<ViewB>(view_b.template part<1>(i), b_bytes));
        if(weight >= arch::nowhere)
            continue;
        sum += b(weight) *
               a(thread::place_of(
                   view_a, a_row, thread::place_entry<ViewA>(view_a.template part<1>(i), a_bytes)));
    }
    return sum;
}

} // namespace ck::grid
