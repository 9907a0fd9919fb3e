#pragma once
// Forward kernels that apply a ChannelEpilogue to their sums, against the definition in floats.
// Sums, biases and residuals are small integers, so what they, a scale and a clamp leave is exact.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "convolution/on_device.hpp"
#include <cmath>
#include <limits>

namespace ck::test {

/// What is done to the sums. Results are exact unless the activation rounds.
struct EpilogueCase
{
    grid::ChannelEpilogue epilogue; ///< epilogue without addresses
    bool has_bias;
    bool in_place = false; ///< the residual is the result
    bool exact    = true;
};

/// In turns a bias; a bias, a residual and relu; a scale, a bias and a clamp; a residual in place
/// of the result; a scale and silu; all of it, in place; a bias and gelu; a bias, a residual and
/// leaky_relu; a scale and hard_swish; a bias and hard_sigmoid; a scale and sigmoid.
inline constexpr int epilogues = 11;
inline EpilogueCase epilogue_number(int number)
{
    using enum grid::ChannelEpilogue::Operation::Activation;
    using enum grid::ChannelEpilogue::Operation::Place;
    grid::ChannelEpilogue e;
    auto& o  = e.operation;
    e.exists = 1;
    switch(number % epilogues)
    {
    case 0:
        return {e, true};
    case 1:
        o.activation = clamp, o.most = std::numeric_limits<float>::infinity();
        o.place2 = before;
        return {e, true};
    case 2:
        o.scale = 2, o.activation = clamp, o.least = -7, o.most = 11;
        return {e, true};
    case 3:
        o.place2 = before;
        return {e, false, true};
    case 4:
        o.scale = .5f, o.activation = silu;
        return {e, false, false, false};
    case 5:
        o.scale = 2, o.activation = silu, o.place2 = before;
        return {e, true, true, false};
    case 6:
        o.scale = .25f, o.activation = gelu;
        return {e, true, false, false};
    case 7:
        o.activation = leaky_relu, o.least = .25f, o.place2 = before; // a slope without rounding
        return {e, true};
    case 8:
        o.scale = .25f, o.activation = hard_swish;
        return {e, true, false, false};
    case 9:
        o.scale = .125f, o.activation = hard_sigmoid;
        return {e, true, false, false};
    default:
        o.scale = .25f, o.activation = sigmoid;
        return {e, true, false, false};
    }
}

/// Runs an argument that is supported once more, with an epilogue, by run(argument).
template <class Operation, class Run>
void expect_right_epilogue(typename Operation::Argument argument, const Run& run)
{
    using C           = typename Operation::C;
    static int number = 0;
    const int which   = number++;

    const ConvProblem& p        = argument.problem;
    const TensorLengths lengths = p.output_lengths();
    EpilogueCase does           = epilogue_number(which);
    if(!Operation::Launcher::epilogue.residual)
    {
        does.in_place                  = false;
        does.epilogue.operation.place2 = grid::ChannelEpilogue::Operation::Place::nowhere;
    }
    auto& operation = does.epilogue.operation;
    if(!Operation::Launcher::epilogue.gelu &&
       operation.activation == grid::ChannelEpilogue::Operation::Activation::gelu)
        operation.activation = grid::ChannelEpilogue::Operation::Activation::silu;
    const bool has_residual  = does.epilogue.adds_residual();
    const long_index_t first = which % 4; // elements before the biases
    const TensorLengths of_bias{1, 1, p.groups * p.out_channels + first, 1, 1, 1};
    const OnDevice<C> bias(of_bias, {0, 0, 1, 0, 0, 0}, 7, false);
    const OnDevice<C> residual(lengths, p.output_strides, 9, false, c_alignment<Operation>);
    OnDevice<C> c(lengths, p.output_strides, 3, true, c_alignment<Operation>);
    OnDevice<float> sums(lengths, p.output_strides, 3, true);
    if(does.in_place)
        c.memory.ToDevice(residual.host.data());
    argument.c                 = c.pointer();
    argument.epilogue          = does.epilogue;
    argument.epilogue.bias     = does.has_bias ? bias.pointer() + first : nullptr;
    argument.epilogue.residual = does.in_place  ? c.pointer()
                                 : has_residual ? residual.pointer()
                                                : nullptr;
    ASSERT_EQ(Operation::supports(argument).reason, "");
    run(argument);
    ref::naive_conv_fwd(p, argument.a, argument.b, sums.pointer());
    c.fetch(), sums.fetch();
    std::size_t wrong = 0;
    std::vector<bool> is_result(c.host.size());
    for(long_index_t i = 0; i < element_count(lengths); ++i)
    {
        long_index_t rest = i, at = 0, digit[6]{};
        for(std::size_t d = lengths.size(); d-- > 0; rest /= lengths[d])
        {
            digit[d] = rest % lengths[d];
            at += digit[d] * p.output_strides[d];
        }
        const auto channel = static_cast<std::size_t>(first + digit[0] * p.out_channels + digit[2]);
        const auto place   = static_cast<std::size_t>(at);
        const float b      = does.has_bias ? type_convert<float>(bias.host[channel]) : 0.f,
                    more   = has_residual ? type_convert<float>(residual.host[place]) : 0.f;
        const C right =
            type_convert<C>(operation.activated(operation.scale * sums.host[place] + b + more));
        const auto x = type_convert<float>(c.host[place]), y = type_convert<float>(right);
        is_result[place] = true;
        // Functions of floats are rounded otherwise on a GPU: the result may be the next one.
        const float next = std::is_same_v<C, bhalf_t> ? 0x1p-7f : 0x1p-10f;
        wrong += !(does.exact ? x == y : std::abs(x - y) <= next * std::abs(y) + 1e-5f);
    }
    EXPECT_EQ(wrong, 0u) << "epilogue " << which % epilogues;
    std::size_t strayed = 0; // between results
    for(std::size_t i = 0; i < c.host.size(); ++i)
    {
        const auto x = type_convert<float>(c.host[i]);
        strayed +=
            !is_result[i] && !(does.in_place ? x == type_convert<float>(residual.host[i]) : x != x);
    }
    EXPECT_EQ(strayed, 0u) << "epilogue " << which % epilogues;
}

} // namespace ck::test
