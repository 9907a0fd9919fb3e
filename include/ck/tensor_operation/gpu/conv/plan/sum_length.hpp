#pragma once
// How many products a kernel may add up: sums of int8 are 32-bit integers, which wrap.
#include "ck/arch/matrix.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace ck::tensor_operation::device {

/// The largest number of int8 products whose sum always fits 32 bits. A product is at most -128 *
/// -128.
inline constexpr long_index_t most_int8_products =
    std::numeric_limits<std::int32_t>::max() / (128 * 128);

/// Whether a tuning accumulates in 32-bit integers.
template <GemmTuning tuning>
inline constexpr bool sums_in_32_bits =
    std::is_same_v<typename arch::MatrixTypes<tuning.instruction>::Accumulator, std::int32_t>;

/// Refuses sums that may not fit 32 bits. products: the most int8 products in one sum.
inline Support check_int8_products(long_index_t products)
{
    if(products <= most_int8_products)
        return {};
    return refused([&] {
        return "a sum has " + std::to_string(products) +
               " products, but this kernel's integers of 32 bits hold the sums of at most " +
               std::to_string(most_int8_products) + " products of int8";
    });
}

/// Returns the products in each sum of forward or backward data, including those with padding.
template <class Direction>
long_index_t products_of_sum(const ConvProblem& p)
{
    return math::saturating_product(
        math::saturating_product(Direction::reduction_channels(p), p.filter[0]),
        math::saturating_product(p.filter[1], p.filter[2]));
}

/// The smallest number of partial sums of any tile in a split launch.
inline index_t fewest_partial_sums(const SplitPlan& split)
{
    return split.last_tiles > 0 ? std::min(split.partial_sums, split.last_partial_sums)
                                : split.partial_sums;
}

/// Returns the most output pixels that one partial sum of backward weight covers. images: in a
/// sub-batch. The sums are divided into slices of `slice` pixels.
inline long_index_t pixels_of_partial(const ConvProblem& p,
                                      long_index_t images,
                                      const SplitPlan& split,
                                      long_index_t slice)
{
    const Spatial out = p.output();
    const long_index_t pixels =
        math::saturating_product(math::saturating_product(out[0], out[1]),
                                 math::saturating_product(out[2], std::min(p.batch, images)));
    const long_index_t slices = math::integer_divide_ceil(pixels, slice);
    return std::min(pixels,
                    slice * math::integer_divide_ceil(
                                slices, long_index_t{std::max(fewest_partial_sums(split), 1)}));
}

} // namespace ck::tensor_operation::device
