// The launches around a convolution of floats that are split into three parts.
#include "rewrites/tf32x3_launches.hpp"

#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_replace_not_finite.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_tf32x3.hpp"

#include "rewrites/flat_launch.hpp"
#include <type_traits>

namespace ck::tensor_operation::device::instance {

namespace {

/// const unless it is the direction's result.
template <bool written>
using Element = std::conditional_t<written, float, const float>;

template <Direction direction>
void replace(const ConvProblem& p,
             const TensorLengths& lengths,
             const TensorStrides& strides,
             const void* result,
             const void* x,
             const void* w,
             const void* y,
             LaunchList& list)
{
    using X            = Element<direction == Direction::backward_data>;
    using W            = Element<direction == Direction::backward_weight>;
    using Y            = Element<direction == Direction::forward>;
    using Definition   = ref::detail::NaiveConv<direction, X, W, Y, float>;
    const auto numbers = ck::detail::packed_strides(lengths, {0, 1, 3, 4, 5, 2});
    return with_vectors<4>(
        lengths,
        {{{result, strides, sizeof(float)}, {nullptr, numbers, sizeof(float)}}},
        [&](auto vector, const auto& index) {
            using Kernel = grid::GridwiseReplaceNotFinite<Definition, decltype(vector)::value>;
            return add<Kernel>(list,
                               {static_cast<const float*>(result),
                                index,
                                Definition::make_params(p,
                                                        static_cast<X*>(const_cast<void*>(x)),
                                                        static_cast<W*>(const_cast<void*>(w)),
                                                        static_cast<Y*>(const_cast<void*>(y)))});
        });
}

} // namespace

void split_floats(const SplitCopy& how, const void* from, void* to, LaunchList& list)
{
    return with_vectors<4>(how.lengths,
                           {{{to, how.copy, sizeof(float)}, {from, how.original, sizeof(float)}}},
                           [&](auto vector, const auto& index) {
                               return add<grid::GridwiseTf32x3<decltype(vector)::value>>(
                                   list,
                                   {static_cast<const float*>(from),
                                    static_cast<float*>(to),
                                    index,
                                    how.part(),
                                    how.low_part,
                                    0});
                           });
}

void replace_not_finite(Direction direction,
                        const ConvProblem& p,
                        const void* x,
                        const void* w,
                        const void* y,
                        LaunchList& list)
{
#if defined(CK_LANGUAGE_HIP)
    // No AMD kernel has promoted_accumulation sums; the kernel's parameters would exceed the scalar
    // registers of an AMD GPU.
    (void)direction, (void)p, (void)x, (void)w, (void)y, (void)list;
#else
    switch(direction)
    {
    case Direction::forward:
        return replace<Direction::forward>(
            p, p.output_lengths(), p.output_strides, y, x, w, y, list);
    case Direction::backward_data:
        return replace<Direction::backward_data>(
            p, p.input_lengths(), p.input_strides, x, x, w, y, list);
    case Direction::backward_weight:
        return replace<Direction::backward_weight>(
            p, p.filter_lengths(), p.filter_strides, w, x, w, y, list);
    }
#endif
}

} // namespace ck::tensor_operation::device::instance
