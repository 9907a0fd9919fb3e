// The launches around a convolution of floats that are split into three parts.
#include "tensor_operation_instance/three_products_launches.hpp"

#include "ck/host_utility/kernel_launch.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_replace_not_finite.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_split_floats.hpp"

#include <array>
#include <type_traits>

namespace ck::tensor_operation::device::instance {

namespace {

template <class Kernel>
float launch(const typename Kernel::Params& params, const StreamConfig& config)
{
    return launch_and_time_kernel<Kernel>(
        config, static_cast<index_t>(Kernel::grid_size(params)), params);
}

/// f(index_t) with the most neighbours, 4 or 1, that are so in both tensors and at multiples of
/// their size, and an index of as many together.
template <class F>
float with_vectors(const TensorLengths& lengths,
                   const std::array<TensorStrides, 2>& strides,
                   const std::array<const void*, 2>& tensors,
                   const F& f)
{
    constexpr index_t vector = 4;
    auto index               = FlatIndex<6, 2>::make(lengths, strides);
    bool whole               = index.dims > 0;
    if(whole)
    {
        auto& last = index.length[index.dims - 1];
        auto& step = index.stride[index.dims - 1];
        whole      = step[0] == 1 && step[1] == 1 && last.value % vector == 0;
        for(const void* const tensor : tensors)
            whole =
                whole && reinterpret_cast<std::uintptr_t>(tensor) % (vector * sizeof(float)) == 0;
        for(index_t d = 0; d + 1 < index.dims; ++d)
            whole = whole && index.stride[d][0] % vector == 0 && index.stride[d][1] % vector == 0;
        if(whole)
        {
            last    = make_divisor(last.value / vector);
            step[0] = step[1] = vector;
            index.count /= vector;
        }
    }
    return whole ? f(Number<vector>{}, index) : f(Number<1>{}, index);
}

/// const but for the direction's result.
template <bool written>
using Element = std::conditional_t<written, float, const float>;

template <Direction direction>
float replace(const ConvProblem& p,
              const TensorLengths& lengths,
              const TensorStrides& strides,
              const void* result,
              const void* x,
              const void* w,
              const void* y,
              const StreamConfig& config)
{
    using X            = Element<direction == Direction::backward_data>;
    using W            = Element<direction == Direction::backward_weight>;
    using Y            = Element<direction == Direction::forward>;
    using Definition   = ref::detail::NaiveConv<direction, X, W, Y, float>;
    const auto numbers = ck::detail::packed_strides(lengths, {0, 1, 3, 4, 5, 2});
    return with_vectors(
        lengths, {strides, numbers}, {result, nullptr}, [&](auto vector, const auto& index) {
            using Kernel = grid::GridwiseReplaceNotFinite<Definition, decltype(vector)::value>;
            return launch<Kernel>({static_cast<const float*>(result),
                                   index,
                                   Definition::make_params(p,
                                                           static_cast<X*>(const_cast<void*>(x)),
                                                           static_cast<W*>(const_cast<void*>(w)),
                                                           static_cast<Y*>(const_cast<void*>(y)))},
                                  config);
        });
}

} // namespace

float split_floats(const SplitCopy& how, const void* from, void* to, const StreamConfig& config)
{
    return with_vectors(
        how.lengths, {how.copy, how.original}, {to, from}, [&](auto vector, const auto& index) {
            return launch<grid::GridwiseSplitFloats<decltype(vector)::value>>(
                {static_cast<const float*>(from),
                 static_cast<float*>(to),
                 index,
                 how.part(),
                 how.low_part},
                config);
        });
}

float replace_not_finite(Direction direction,
                         const ConvProblem& p,
                         const void* x,
                         const void* w,
                         const void* y,
                         const StreamConfig& config)
{
#if defined(CK_LANGUAGE_HIP)
    // No kernel of AMD's promotes sums; the definition's parameters are more than an AMD GPU's
    // scalar registers hold.
    (void)direction, (void)p, (void)x, (void)w, (void)y, (void)config;
#else
    switch(direction)
    {
    case Direction::forward:
        return replace<Direction::forward>(
            p, p.output_lengths(), p.output_strides, y, x, w, y, config);
    case Direction::backward_data:
        return replace<Direction::backward_data>(
            p, p.input_lengths(), p.input_strides, x, x, w, y, config);
    case Direction::backward_weight:
        return replace<Direction::backward_weight>(
            p, p.filter_lengths(), p.filter_strides, w, x, w, y, config);
    }
#endif
    return 0;
}

} // namespace ck::tensor_operation::device::instance
