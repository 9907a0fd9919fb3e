// Whether the rule takes kernels of f16 for int8 on an H200: for small groups and few channels, and
// nowhere where int8's own kernels load vectors and fill their tiles.
//
// Labels: not sanitized
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "rewrites/upcast_launches.hpp"
#include "tables/mma.hpp"
#include "tables/wgmma.hpp"
#include "tensor_operation_instance/conv_kernels.hpp"
#include <algorithm>
#include <cmath>

namespace ck::test {
namespace {

using namespace ck::tensor_operation::device;
using tensor_operation::element_wise::PassThrough;

/// The least predicted time of the first `most` rows of a table.
template <class T, const auto& table, std::size_t most = std::size(table)>
double least_of(const ConvProblem& p)
{
    using Types = ConvTypes<T, T, T, PassThrough, PassThrough, PassThrough, Tuple<>, T, T>;
    static const PassThrough pass_through;
    alignas(16) static char workspace[16]; // its address is only asked about
    instance::ConvArgument argument;
    argument.problem     = p;
    argument.a           = {nullptr};
    argument.b           = {nullptr};
    argument.operation_a = argument.operation_b = argument.operation_c = &pass_through;
    argument.workspace                                                 = workspace;
    double least                                                       = HUGE_VAL;
    unrolled<0, static_cast<index_t>(most)>([&](auto i) {
        constexpr GemmTuning tuning = table[i];
        using Functions             = instance::FunctionsOf<Direction::forward, Types, tuning>;
        if(const auto time = Functions::template predict<true>(argument, true))
            least = std::min(least, *time);
    });
    return least;
}

/// The rows of both types that Hopper's library has first: selection.hpp.
bool is_upcast(const ConvProblem& p)
{
    const AssumedComputeUnits h200(132);
    using namespace tables;
    constexpr auto forward = Direction::forward;
    const double own       = std::min({least_of<std::int8_t, wgmma<forward, wgmma_i8>>(p),
                                       least_of<std::int8_t, mma<forward, mma_i8>, 1>(p),
                                       least_of<std::int8_t, mma_any<forward, mma_i8>, 1>(p)});
    double halves          = least_of<half_t, wgmma<forward, wgmma_f16>>(p);
    for(const TensorLengths& lengths : {p.input_lengths(), p.filter_lengths(), p.output_lengths()})
        halves += instance::predicted_copy({"i8", "f16", lengths, {}, {}});
    return halves < own;
}

/// k: filters of a group, as many as channels if 0.
ConvProblem problem_of(index_t n, index_t groups, index_t channels, index_t image, index_t k = 0)
{
    return make_packed_problem<2>(groups,
                                  n,
                                  k > 0 ? k : channels,
                                  channels,
                                  {3, 3},
                                  {image, image},
                                  {1, 1},
                                  {1, 1},
                                  {1, 1},
                                  {1, 1});
}

TEST(UpcastRule, TakesSmallGroupsOfOtherNumbersOfFilters)
{
    EXPECT_TRUE(is_upcast(problem_of(128, 32, 8, 28, 16)));
    EXPECT_TRUE(is_upcast(problem_of(128, 32, 16, 14, 8)));
}

TEST(UpcastRule, LeavesSmallGroupsToChannelSlicesOfBytes)
{
    EXPECT_FALSE(is_upcast(problem_of(128, 32, 4, 56)));
    EXPECT_FALSE(is_upcast(problem_of(8, 32, 4, 56)));
    EXPECT_FALSE(is_upcast(problem_of(128, 32, 8, 28)));
    EXPECT_FALSE(is_upcast(problem_of(128, 32, 16, 14)));
    EXPECT_FALSE(is_upcast(problem_of(128, 32, 32, 7)));
}

/// 8 channels are half a vector of int8.
TEST(UpcastRule, TakesFewChannels) { EXPECT_TRUE(is_upcast(problem_of(128, 1, 8, 112))); }

TEST(UpcastRule, LeavesManyChannels)
{
    EXPECT_FALSE(is_upcast(problem_of(128, 1, 32, 112)));
    EXPECT_FALSE(is_upcast(problem_of(128, 1, 128, 28)));
    EXPECT_FALSE(is_upcast(problem_of(32, 1, 256, 56)));
    EXPECT_FALSE(is_upcast(problem_of(128, 1, 512, 7)));
}

} // namespace
} // namespace ck::test
