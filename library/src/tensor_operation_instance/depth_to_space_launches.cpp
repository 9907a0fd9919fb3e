// The launches around a convolution whose results are blocks of pixels, for each type.
#include "tensor_operation_instance/depth_to_space_launches.hpp"

#include "ck/host_utility/kernel_launch.hpp"
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

template <class Strides>
Strides strides_of(const TensorStrides& s, std::size_t image, std::size_t channel)
{
    return {s[image], s[channel], {s[3], s[4], s[5]}};
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
        using Kernel         = grid::GridwiseDepthToSpace<T>;
        using Strides        = typename Kernel::Strides;
        const auto [d, h, w] = blocks.axes;
        time                 = launch<Kernel>(
            {static_cast<const T*>(tensors.blocks),
                             static_cast<const T*>(tensors.dy),
                             static_cast<const T*>(tensors.w),
                             static_cast<T*>(tensors.dx),
                             blocks,
                             strides_of<Strides>(problem.input_strides, 1, 2),
                             strides_of<Strides>(problem.output_strides, 1, 2),
                             strides_of<Strides>(problem.filter_strides, 1, 2),
                             static_cast<index_t>(element_count(problem.input_lengths())),
                             static_cast<index_t>(problem.out_channels),
                             problem.input_strides[2] <= problem.input_strides[5],
                             make_divisor(blocks.channels),
                             {make_divisor(d.pixels), make_divisor(h.pixels), make_divisor(w.pixels)},
                             {make_divisor(d.block), make_divisor(h.block), make_divisor(w.block)}},
            config);
    });
    return time;
}

} // namespace ck::tensor_operation::device::instance
