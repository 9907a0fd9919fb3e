#pragma once
// Small problems that can be given to every kernel of the library, and their one right result.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"

#include "library/tensor_operation_instance/kernel_setup.hpp"
#include <map>
#include <tuple>

namespace ck::test {

/// Two groups, unequal filters, strides, dilations and pads.
inline ConvProblem problem_of_rank(index_t rank)
{
    ConvProblem p;
    p.rank         = rank;
    p.groups       = 2;
    p.batch        = 2;
    p.out_channels = 32;
    p.in_channels  = 16;
    const auto of  = [&](Spatial values, long_index_t neutral) { // the last `rank` of D H W
        for(std::size_t i = 0; i + static_cast<std::size_t>(rank) < 3; ++i)
            values[i] = neutral;
        return values;
    };
    p.filter   = of({1, 2, 3}, 1);
    p.input    = of({2, 3, 5}, 1);
    p.stride   = of({1, 1, 2}, 1);
    p.dilation = of({1, 2, 1}, 1);
    p.pad_low  = of({0, 1, 1}, 0);
    p.pad_high = of({1, 0, 2}, 0);
    return p;
}

enum class Kind
{
    grouped,
    dense, ///< one group with many channels
    dense_unit_stride,
    dense_one_tap,
    dense_pointwise, ///< 1x1 without stride and padding
    dense_stride_2,  ///< stride 2 in all dimensions
    odd_channels,    ///< odd numbers in one group
    small_groups,    ///< whose channels fill no vector, all together neither
    depthwise,
    first_layer,            ///< with 4 channels
    first_layer_of_8,       ///< channels
    thin,                   ///< 1x1 without stride and padding, of 16 channels
    groups_of_4,            ///< groups with 3 taps in each dimension
    groups_of_8,            ///< groups with 3 taps in each dimension
    depthwise_3x3,          ///< three taps in each dimension
    depthwise_3x3_stride_2, ///< stride 2 in H and W
    depthwise_5x5,
    depthwise_5x5_stride_2,
    depthwise_7x7,
    depthwise_4 ///< four taps in each dimension
};

/// Filters of the same length in each dimension, padding that keeps the size of images, and groups
/// of this many channels; 0: of another kind.
struct EvenFilter
{
    long_index_t taps = 0, channels = 1, stride = 1;
};
constexpr EvenFilter even_filter(Kind kind)
{
    switch(kind)
    {
    case Kind::groups_of_4:
        return {3, 4};
    case Kind::groups_of_8:
        return {3, 8};
    case Kind::depthwise_3x3:
        return {3};
    case Kind::depthwise_3x3_stride_2:
        return {3, 1, 2};
    case Kind::depthwise_5x5:
        return {5};
    case Kind::depthwise_5x5_stride_2:
        return {5, 1, 2};
    case Kind::depthwise_7x7:
        return {7};
    case Kind::depthwise_4:
        return {4};
    default:
        return {};
    }
}

inline ConvProblem problem_of(Kind kind, index_t rank)
{
    ConvProblem p = problem_of_rank(rank);
    if(kind == Kind::depthwise)
    {
        p.groups       = 8;
        p.out_channels = p.in_channels = 1;
    }
    else if(kind == Kind::odd_channels)
    {
        p.groups       = 1;
        p.out_channels = 11;
        p.in_channels  = 3;
    }
    else if(kind == Kind::small_groups)
    {
        p.groups       = 3;
        p.out_channels = 2;
        p.in_channels  = 3;
    }
    else if(const EvenFilter even = even_filter(kind); even.taps > 0)
    {
        p.groups       = 64 / even.channels;
        p.out_channels = p.in_channels = even.channels;
        for(std::size_t i = 3 - static_cast<std::size_t>(rank); i < 3; ++i)
        {
            p.filter[i]   = even.taps;
            p.input[i]    = i == 0 ? 4 : 11;
            p.stride[i]   = i == 0 ? 1 : even.stride; // like windows of 3D
            p.dilation[i] = 1;
            p.pad_low[i] = p.pad_high[i] = even.taps / 2;
        }
    }
    else if(kind != Kind::grouped)
    {
        p.groups       = 1;
        p.out_channels = p.in_channels = 64;
    }
    if(kind == Kind::first_layer || kind == Kind::first_layer_of_8)
        p.in_channels = kind == Kind::first_layer ? 4 : 8;
    if(kind == Kind::thin)
        p.out_channels = p.in_channels = 16;
    const bool pointwise = kind == Kind::dense_pointwise || kind == Kind::thin,
               one_tap   = kind == Kind::dense_one_tap || pointwise;
    if(kind == Kind::dense_unit_stride || one_tap)
        p.stride = {1, 1, 1};
    if(one_tap)
        p.filter = {1, 1, 1};
    if(pointwise)
        p.pad_low = p.pad_high = {0, 0, 0};
    if(kind == Kind::dense_stride_2)
        for(std::size_t i = 3 - static_cast<std::size_t>(rank); i < 3; ++i)
            p.stride[i] = p.filter[i] = 2, p.dilation[i] = 1;
    return p;
}

/// The sums of a direction, for one rank: x, w and y hold integers, except the result.
struct Reference
{
    ConvProblem problem;
    Values x, w, y;
    Values sums;

    Reference(Direction direction, index_t rank, Kind kind)
        : problem(problem_of(kind, rank)),
          x(Values::integers(problem.input_lengths(), 1)),
          w(Values::integers(problem.filter_lengths(), 2)),
          y(Values::integers(problem.output_lengths(), 3)),
          sums(direction == Direction::forward         ? y
               : direction == Direction::backward_data ? x
                                                       : w)
    {
        const Layout plain{"", as_listed, as_listed};
        set_layout(problem, plain);
        const Element& f64 = named_element<double>().second;
        const OnDevice x_device(x, problem.input_strides, f64),
            w_device(w, problem.filter_strides, f64), y_device(y, problem.output_strides, f64);
        const auto pointer = [](const OnDevice& t) { return static_cast<double*>(t.pointer()); };
        if(direction == Direction::forward)
            ref::naive_conv_fwd(problem, pointer(x_device), pointer(w_device), pointer(y_device));
        else if(direction == Direction::backward_data)
            ref::naive_conv_bwd_data(
                problem, pointer(x_device), pointer(w_device), pointer(y_device));
        else
            ref::naive_conv_bwd_weight(
                problem, pointer(x_device), pointer(w_device), pointer(y_device));
        const OnDevice& result = direction == Direction::forward         ? y_device
                                 : direction == Direction::backward_data ? x_device
                                                                         : w_device;
        result.memory.FromDevice(sums.values.data());
    }

    static const Reference& of(Direction direction, index_t rank, Kind kind = Kind::grouped)
    {
        static std::map<std::tuple<Direction, index_t, Kind>, Reference> all;
        const std::tuple key{direction, rank, kind};
        const auto at = all.find(key);
        return at != all.end() ? at->second
                               : all.emplace(key, Reference(direction, rank, kind)).first->second;
    }
};

} // namespace ck::test
