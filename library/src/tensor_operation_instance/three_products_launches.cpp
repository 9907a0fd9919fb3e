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
    using Kernel       = grid::GridwiseReplaceNotFinite<Definition>;
    const auto numbers = ck::detail::packed_strides(lengths, {0, 1, 3, 4, 5, 2});
    return launch<Kernel>({static_cast<const float*>(result),
                           FlatIndex<6, 2>::make(lengths, std::array{strides, numbers}),
                           Definition::make_params(p,
                                                   static_cast<X*>(const_cast<void*>(x)),
                                                   static_cast<W*>(const_cast<void*>(w)),
                                                   static_cast<Y*>(const_cast<void*>(y)))},
                          config);
}

} // namespace

float split_floats(const SplitCopy& how, const void* from, void* to, const StreamConfig& config)
{
    return launch<grid::GridwiseSplitFloats>(
        {static_cast<const float*>(from),
         static_cast<float*>(to),
         FlatIndex<6, 2>::make(how.lengths, std::array{how.copy, how.original}),
         how.part(),
         how.low_part},
        config);
}

float replace_not_finite(Direction direction,
                         const ConvProblem& p,
                         const void* x,
                         const void* w,
                         const void* y,
                         const StreamConfig& config)
{
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
    return 0;
}

} // namespace ck::tensor_operation::device::instance
