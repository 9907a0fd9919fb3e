#pragma once
// What the tests of positional operations share: an argument with null pointers, and its answer.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/convnd_bwd_data_positional.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

namespace ck::test {

using tensor_operation::device::ConvolutionBackwardDataSpecialization;
using tensor_operation::element_wise::PassThrough;

inline constexpr auto any_filter = ConvolutionBackwardDataSpecialization::Default;
inline constexpr auto filter_1x1 = ConvolutionBackwardDataSpecialization::Filter1x1Stride1Pad0;

template <index_t... Is>
using S = Sequence<Is...>;

struct Problem2d
{
    index_t K = 64, C = 64, filter = 3, stride = 1, left_pad = 1, right_pad = 1;
};

/// Why the operation refuses the problem, N 2 and images of 8 x 8; empty if it does not.
template <class Operation>
std::string why_not(const Problem2d& p)
{
    const index_t out   = (8 + p.left_pad + p.right_pad - p.filter) / p.stride + 1;
    const auto argument = Operation::MakeArgument(nullptr,
                                                  nullptr,
                                                  nullptr,
                                                  2,
                                                  p.K,
                                                  p.C,
                                                  {8, 8},
                                                  {p.filter, p.filter},
                                                  {out, out},
                                                  {p.stride, p.stride},
                                                  {1, 1},
                                                  {p.left_pad, p.left_pad},
                                                  {p.right_pad, p.right_pad},
                                                  {},
                                                  {},
                                                  {});
    EXPECT_EQ(Operation::IsSupportedArgument(argument),
              Operation::supports(argument).reason.empty());
    return Operation::supports(argument).reason;
}

constexpr bool equal(const GemmTuning& x, const GemmTuning& y)
{
    return x.block_tile.m == y.block_tile.m && x.block_tile.n == y.block_tile.n &&
           x.block_tile.k == y.block_tile.k && x.wave_m == y.wave_m && x.wave_n == y.wave_n &&
           x.instruction == y.instruction && x.a_vector == y.a_vector && x.b_vector == y.b_vector &&
           x.c_vector == y.c_vector && x.pipeline == y.pipeline &&
           x.min_blocks_per_cu == y.min_blocks_per_cu;
}

template <class Operation>
inline constexpr GemmTuning tuning = Operation::Operation::tuning;

/// The channel counts that clients of Composable Kernel know to be refused or not.
template <class Operation>
void expect_vectors_checked()
{
    EXPECT_EQ(why_not<Operation>({}), "");
    EXPECT_NE(why_not<Operation>({.K = 129}).find("K is 129"), std::string::npos);
    EXPECT_NE(why_not<Operation>({.C = 257}).find("C is 257"), std::string::npos);
}

/// Checks operations that have the specialisation Filter1x1Stride1Pad0.
template <class Operation>
void expect_1x1_checked()
{
    EXPECT_EQ(why_not<Operation>({.filter = 1, .left_pad = 0, .right_pad = 0}), "");
    for(const Problem2d& p : {Problem2d{.filter = 3, .left_pad = 0, .right_pad = 0},
                              Problem2d{.filter = 1, .stride = 2, .left_pad = 0, .right_pad = 0},
                              Problem2d{.filter = 1, .left_pad = 1, .right_pad = 0},
                              Problem2d{.filter = 1, .left_pad = 0, .right_pad = 1}})
        EXPECT_NE(why_not<Operation>(p).find("Filter1x1Stride1Pad0"), std::string::npos)
            << "filter " << p.filter << ", stride " << p.stride << ", pads " << p.left_pad << " "
            << p.right_pad;
}

} // namespace ck::test
