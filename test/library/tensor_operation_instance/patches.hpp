#pragma once
// Patches that kernels compute as other problems: problems, expected results, and kernels whose
// names begin with a word.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"
#include <algorithm>
#include <string_view>

namespace ck::test {

/// 4 by 5 patches with `rows` rows of 4 pixels, whose 2 channels make vectors of 8.
inline ConvProblem patches(index_t rank, long_index_t rows, long_index_t channels = 2)
{
    ConvProblem p;
    p.rank         = rank;
    p.batch        = 3;
    p.in_channels  = channels;
    p.out_channels = 16;
    p.filter       = {1, rank > 1 ? rows : 1, 4};
    p.stride       = p.filter;
    p.input        = {1, rank > 1 ? 4 * rows : 1, 20};
    return p;
}

/// The result of the values, by definition.
inline Values
result(Direction direction, ConvProblem p, const Values& x, const Values& w, const Values& y)
{
    set_layout(p, {"", as_listed, as_listed});
    const Element& f64 = named_element<double>().second;
    const OnDevice on_x(x, p.input_strides, f64), on_w(w, p.filter_strides, f64),
        on_y(y, p.output_strides, f64);
    const auto pointer = [](const OnDevice& t) { return static_cast<double*>(t.pointer()); };
    using enum Direction;
    Values r           = direction == forward ? y : direction == backward_data ? x : w;
    const OnDevice& of = direction == forward ? on_y : direction == backward_data ? on_x : on_w;
    if(direction == forward)
        ref::naive_conv_fwd(p, pointer(on_x), pointer(on_w), pointer(on_y));
    else if(direction == backward_data)
        ref::naive_conv_bwd_data(p, pointer(on_x), pointer(on_w), pointer(on_y));
    else
        ref::naive_conv_bwd_weight(p, pointer(on_x), pointer(on_w), pointer(on_y));
    of.memory.FromDevice(r.values.data());
    return r;
}

template <class T = half_t>
Family family_of(Direction direction)
{
    using enum Direction;
    return direction == forward         ? ConvFamily<forward, T, T, T>::key()
           : direction == backward_data ? ConvFamily<backward_data, T, T, T>::key()
                                        : ConvFamily<backward_weight, T, T, T>::key();
}

/// How many kernels there are whose names begin so, and how many of them computed a problem.
struct Ran
{
    int all = 0, right = 0;
};
inline Ran run_all(const Family& family, ConvProblem p, const Layout& layout, std::string_view name)
{
    set_layout(p, layout);
    const Values x = Values::integers(p.input_lengths(), 1),
                 w = Values::integers(p.filter_lengths(), 2),
                 y = Values::integers(p.output_lengths(), 3);
    KernelSetup setup{family, p, {x, w, y, result(family.direction, p, x, w, y)}, 1};
    Ran ran;
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
        if(kernel->name.starts_with(name))
        {
            ++ran.all;
            if(!setup.supports(*kernel))
                continue;
            EXPECT_EQ(setup.mistakes(*kernel), 0u) << kernel->name;
            ++ran.right;
        }
    return ran;
}

/// The directions' names, of tests.
inline std::string name_of(const testing::TestParamInfo<Direction>& each)
{
    return each.param == Direction::forward         ? "Forward"
           : each.param == Direction::backward_data ? "BackwardData"
                                                    : "BackwardWeight";
}

} // namespace ck::test
