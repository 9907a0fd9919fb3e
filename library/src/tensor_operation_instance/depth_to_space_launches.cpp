// The launches around a convolution whose results are blocks of pixels, for each type.
#include "tensor_operation_instance/depth_to_space_launches.hpp"

#include "ck/host_utility/kernel_launch.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_block_filters.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_depth_to_space.hpp"
#include "ck/utility/data_type.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

namespace ck::tensor_operation::device::instance {

namespace {

/// f(type) with the type of a name; whether there is one.
template <class F>
bool with_type(std::string_view name, const F& f)
{
    return [&]<class... T>(Tuple<T...>) {
        return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
    }(Tuple<half_t, bhalf_t, float>{});
}

template <class Kernel>
float launch(const typename Kernel::Params& params, const StreamConfig& config)
{
    return launch_and_time_kernel<Kernel>(
        config, static_cast<index_t>(Kernel::grid_size(params)), params);
}

} // namespace

bool has_depth_to_space(const std::string& type)
{
    return with_type(type, [](auto) {});
}

float make_block_filters(const std::string& type,
                         const ConvProblem& problem,
                         const grid::PixelBlocks& blocks,
                         const BlockTensors& tensors,
                         const StreamConfig& config)
{
    float time = 0;
    with_type(type, [&]<class T>(T) {
        using Kernel         = grid::GridwiseBlockFilters<T>;
        const auto& s        = problem.filter_strides; // g k c z y x
        const auto [d, h, w] = blocks.axes;
        const auto k         = static_cast<index_t>(problem.out_channels);
        time =
            launch<Kernel>({static_cast<const T*>(tensors.w),
                            static_cast<T*>(tensors.filters),
                            blocks,
                            s[1],
                            s[2],
                            {s[3], s[4], s[5]},
                            blocks.columns * d.taps * h.taps * w.taps * k,
                            make_divisor(k),
                            {make_divisor(d.taps), make_divisor(h.taps), make_divisor(w.taps)},
                            {make_divisor(d.block), make_divisor(h.block), make_divisor(w.block)},
                            make_divisor(blocks.channels)},
                           config);
    });
    return time;
}

float write_from_blocks(const std::string& type,
                        const ConvProblem& problem,
                        const grid::PixelBlocks& blocks,
                        const BlockTensors& tensors,
                        const StreamConfig& config)
{
    float time = 0;
    with_type(type, [&]<class T>(T) {
        using Definition =
            ref::detail::NaiveConv<Direction::backward_data, T, const T, const T, float>;
        using Kernel         = grid::GridwiseDepthToSpace<T, Definition>;
        const auto [d, h, w] = blocks.axes;
        const auto& s        = problem.input_strides; // g n c d h w
        auto* const dx       = static_cast<T*>(tensors.dx);
        time                 = launch<Kernel>(
            {static_cast<const T*>(tensors.blocks),
                             dx,
                             blocks,
                             s[1],
                             s[2],
                             {s[3], s[4], s[5]},
                             static_cast<index_t>(element_count(problem.input_lengths())),
                             s[2] <= s[5],
                             make_divisor(blocks.channels),
                             {make_divisor(d.pixels), make_divisor(h.pixels), make_divisor(w.pixels)},
                             {make_divisor(d.block), make_divisor(h.block), make_divisor(w.block)},
                             Definition::make_params(
                 problem, dx, static_cast<const T*>(tensors.w), static_cast<const T*>(tensors.dy))},
            config);
    });
    return time;
}

} // namespace ck::tensor_operation::device::instance
