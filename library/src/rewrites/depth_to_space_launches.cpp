// The launches around a convolution whose results are blocks of pixels, for each type.
#include "rewrites/depth_to_space_launches.hpp"

#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_block_filters.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_depth_to_space.hpp"
#include "ck/utility/data_type.hpp"

#include "rewrites/flat_launch.hpp"
#include <array>
#include <stdexcept>
#include <string_view>

namespace ck::tensor_operation::device::instance {

namespace {

/// Calls f(type) with the type of a name; returns whether there is one.
template <class F>
bool with_type([[maybe_unused]] std::string_view name, [[maybe_unused]] const F& f)
{
#if defined(CK_LANGUAGE_HIP)
    using Types = Tuple<>; // the kernel's parameters exceed the scalar registers
#else
    using Types = Tuple<half_t, bhalf_t, float>;
#endif
    return [&]<class... T>(Tuple<T...>) {
        return ((name == type_name<T> ? (f(T{}), true) : false) || ...);
    }(Types{});
}

/// The most elements, a power of two, that are contiguous both in dX and in its blocks, and aligned
/// to their size.
[[maybe_unused]] index_t neighbours(const ConvProblem& problem,
                                    const grid::PixelBlocks& blocks,
                                    const BlockTensors& tensors,
                                    index_t element_bytes)
{
    const auto& s               = problem.input_strides; // g n c d h w
    const long_index_t channels = problem.in_channels;
    if((channels > 1 && s[2] != 1) || s[5] != channels)
        return 1;
    index_t vector        = 16 / element_bytes;
    const auto is_aligned = [&](long_index_t n) { return n % vector == 0; };
    while(vector > 1 && !(is_aligned(blocks.axes[2].block * channels) &&
                          is_aligned(problem.input[2] * channels) &&
                          (problem.input[1] == 1 || is_aligned(s[4])) &&
                          (problem.input[0] == 1 || is_aligned(s[3])) &&
                          (problem.batch == 1 || is_aligned(s[1])) &&
                          reinterpret_cast<std::uintptr_t>(tensors.dx) %
                                  static_cast<std::uintptr_t>(vector * element_bytes) ==
                              0))
        vector /= 2;
    return vector;
}

template <class T, index_t vector>
void write_vectors(const ConvProblem& problem,
                   const grid::PixelBlocks& blocks,
                   const BlockTensors& tensors,
                   LaunchList& list)
{
    using Definition = ref::detail::NaiveConv<Direction::backward_data, T, const T, const T, float>;
    using Kernel     = grid::GridwiseDepthToSpace<T, Definition, vector>;
    const auto& s    = problem.input_strides; // g n c d h w
    const auto [d, h, w]  = blocks.axes;
    const bool inside     = s[2] <= s[5]; // the channels of a pixel are contiguous
    auto* const dx        = static_cast<T*>(tensors.dx);
    const index_t in_line = inside ? blocks.channels : 1;
    return add<Kernel>(
        list,
        {static_cast<const T*>(tensors.blocks),
         dx,
         blocks,
         s[1],
         s[2],
         {s[3], s[4], s[5]},
         static_cast<index_t>(element_count(problem.input_lengths())) / vector,
         make_divisor(w.pixels * in_line / vector),
         make_divisor(in_line),
         make_divisor(blocks.channels / in_line),
         make_divisor(h.pixels),
         make_divisor(d.pixels),
         {make_divisor(d.block), make_divisor(h.block), make_divisor(w.block)},
         Definition::make_params(
             problem, dx, static_cast<const T*>(tensors.w), static_cast<const T*>(tensors.dy))});
}

template <class T, index_t most = 16 / sizeof(T)>
void write(const ConvProblem& problem,
           const grid::PixelBlocks& blocks,
           const BlockTensors& tensors,
           LaunchList& list)
{
    if constexpr(most > 1)
        if(neighbours(problem, blocks, tensors, sizeof(T)) < most)
            return write<T, most / 2>(problem, blocks, tensors, list);
    return write_vectors<T, most>(problem, blocks, tensors, list);
}

} // namespace

bool has_depth_to_space(const std::string& type)
{
    return with_type(type, [](auto) {});
}

void make_block_filters(const std::string& type,
                        const ConvProblem& problem,
                        const grid::PixelBlocks& blocks,
                        const BlockTensors& tensors,
                        LaunchList& list)
{
    with_type(type, [&]<class T>(T) {
        using Kernel         = grid::GridwiseBlockFilters<T>;
        const auto& s        = problem.filter_strides; // g k c z y x
        const auto [d, h, w] = blocks.axes;
        const auto k         = static_cast<index_t>(problem.out_channels);
        add<Kernel>(list,
                    {static_cast<const T*>(tensors.w),
                     static_cast<T*>(tensors.filters),
                     blocks,
                     s[1],
                     s[2],
                     {s[3], s[4], s[5]},
                     blocks.columns * d.taps * h.taps * w.taps * k,
                     make_divisor(k),
                     {make_divisor(d.taps), make_divisor(h.taps), make_divisor(w.taps)},
                     {make_divisor(d.block), make_divisor(h.block), make_divisor(w.block)},
                     make_divisor(blocks.channels)});
    });
}

void write_from_blocks(const std::string& type,
                       const ConvProblem& problem,
                       const grid::PixelBlocks& blocks,
                       const BlockTensors& tensors,
                       LaunchList& list)
{
    with_type(type, [&]<class T>(T) { write<T>(problem, blocks, tensors, list); });
}

} // namespace ck::tensor_operation::device::instance
