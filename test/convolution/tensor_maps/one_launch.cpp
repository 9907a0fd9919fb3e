// Forward and backward data.
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

template <class Direction, class T, GemmTuning tuning>
Support expect_right(const ConvProblem& p)
{
    constexpr bool forward = std::is_same_v<Direction, ForwardDirection>;
    using Operation =
        ConvOperation<Direction, ConvTypes<T, T, T, PassThrough, PassThrough, PassThrough>, tuning>;
    const OnDevice<T> a(lengths_of(p, Direction::a), strides_of(p, Direction::a), 1, false),
        b(lengths_of(p, Direction::b), strides_of(p, Direction::b), 2, false);
    OnDevice<T> c(lengths_of(p, Direction::c), strides_of(p, Direction::c), 3, true),
        expected(lengths_of(p, Direction::c), strides_of(p, Direction::c), 3, true);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a       = a.pointer();
    argument.b       = b.pointer();
    argument.c       = c.pointer();
    if(const Support s = Operation::supports(argument); !s)
        return s;
    Operation::run(argument, StreamConfig{});
    if constexpr(forward)
        ref::naive_conv_fwd(p, a.pointer(), b.pointer(), expected.pointer());
    else
        ref::naive_conv_bwd_data(p, expected.pointer(), b.pointer(), a.pointer());
    EXPECT_EQ(mistakes(c, expected), 0u);
    return {};
}

TEST(TensorMaps, forward)
{
    if(!device_has(arch::Requirement::wgmma))
        GTEST_SKIP() << "wgmma needs sm_90a";
    for_problems(false, 1, 8, [](const ConvProblem& p) {
        return expect_right<ForwardDirection,
                            half_t,
                            map_tuning(wgmma_f32_16x8x16_f16, 128, 64, 3)>(p);
    });
}

TEST(TensorMaps, backward_data)
{
    if(!device_has(arch::Requirement::wgmma))
        GTEST_SKIP() << "wgmma needs sm_90a";
    for_problems(false, 2, 8, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection,
                            bhalf_t,
                            map_tuning(wgmma_f32_16x8x16_bf16, 64, 128, 2)>(p);
    });
}

} // namespace
} // namespace ck::test
