#pragma once
// Forward kernels that apply a ChannelEpilogue to their sums, against the definition in floats.
// Sums and biases are small integers, so what a bias, a scale and a clamp leave is exact.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "convolution/on_device.hpp"
#include <cmath>

namespace ck::test {

/// What is done to the sums: in turns a bias; all of it, with biases at no multiple of 16 bytes; a
/// scale and silu without a bias; silu.
inline grid::ChannelEpilogue epilogue_number(int number)
{
    using enum grid::ChannelEpilogue::Operation::Activation;
    grid::ChannelEpilogue e;
    e.exists = 1;
    switch(number % 4)
    {
    case 0:
        break;
    case 1:
        e.operation.scale      = 2;
        e.operation.activation = clamp;
        e.operation.least      = -7;
        e.operation.most       = 11;
        break;
    case 2:
        e.operation.scale      = .5f;
        e.operation.activation = silu;
        break;
    default:
        e.operation.activation = silu;
    }
    return e;
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
    const bool has_bias         = which % 4 < 2;
    const long_index_t first    = which % 4; // elements before the biases
    const TensorLengths of_bias{1, 1, p.groups * p.out_channels + first, 1, 1, 1};
    const OnDevice<C> bias(of_bias, {0, 0, 1, 0, 0, 0}, 7, false);
    OnDevice<C> c(lengths, p.output_strides, 3, true);
    OnDevice<float> sums(lengths, p.output_strides, 3, true);
    argument.c             = c.pointer();
    argument.epilogue      = epilogue_number(which);
    argument.epilogue.bias = has_bias ? bias.pointer() + first : nullptr;
    ASSERT_EQ(Operation::supports(argument).reason, "");
    run(argument);
    ref::naive_conv_fwd(p, argument.a, argument.b, sums.pointer());
    c.fetch(), sums.fetch();
    const auto& operation = argument.epilogue.operation;
    const bool exact      = which % 4 < 2;
    std::size_t wrong     = 0;
    for(long_index_t i = 0; i < element_count(lengths); ++i)
    {
        long_index_t rest = i, at = 0, digit[6]{};
        for(std::size_t d = lengths.size(); d-- > 0; rest /= lengths[d])
        {
            digit[d] = rest % lengths[d];
            at += digit[d] * p.output_strides[d];
        }
        const auto channel = static_cast<std::size_t>(first + digit[0] * p.out_channels + digit[2]);
        const float b      = has_bias ? type_convert<float>(bias.host[channel]) : 0.f;
        const auto sum     = sums.host[static_cast<std::size_t>(at)];
        const C right      = type_convert<C>(operation.activated(operation.scale * sum + b));
        const auto x       = type_convert<float>(c.host[static_cast<std::size_t>(at)]),
                   y       = type_convert<float>(right);
        // Functions of floats are rounded otherwise on a GPU: the result may be the next one.
        const float next = std::is_same_v<C, bhalf_t> ? 0x1p-7f : 0x1p-10f;
        wrong += !(exact ? x == y : std::abs(x - y) <= next * std::abs(y) + 1e-5f);
    }
    EXPECT_EQ(wrong, 0u) << "epilogue " << which % 4;
}

} // namespace ck::test
