// Operands of one byte, forward and backward data: int8 and eight-bit floats (OCP), which wgmma
// multiplies as they are; sums of the latter stay below 2^13, up to which they are exact. Backward
// data's filters are transposed in LDS.
//
// Labels: not on AMD, not sanitized
#include "ck/tensor_operation/gpu/element/quantization_operation.hpp"

#include "convolution/tensor_maps/tensor_maps.hpp"
#include <cmath>

namespace ck::test::bytes {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

template <class X, class W, class Y, arch::Matrix id, index_t m, index_t n>
using Forward = ConvOperation<ForwardDirection,
                              ConvTypes<X, W, Y, PassThrough, PassThrough, PassThrough>,
                              map_tuning(id, m, n, 3, 16)>;

Draw draw(unsigned seed)
{
    Draw d{std::mt19937(seed)};
    d.pack = 16;
    return d;
}

ConvProblem small_problem(long_index_t groups, long_index_t in_channels)
{
    ConvProblem p;
    p.rank         = 2;
    p.groups       = groups;
    p.batch        = 2;
    p.out_channels = 48;
    p.in_channels  = in_channels;
    p.filter       = {1, 3, 2};
    p.input        = {1, 9, 7};
    p.stride       = {1, 2, 1};
    p.dilation     = {1, 1, 2};
    p.pad_low      = {0, 1, 2};
    p.pad_high     = {0, 1, 1};
    set_packed_strides(p);
    return p;
}

TEST(TensorMapsInt8, forward)
{
    using Operation = Forward<std::int8_t, std::int8_t, std::int8_t, wgmma_i32_16x8x32_s8, 128, 64>;
    for_problems(draw(7), 4, expect_right_of<Operation>);
}

TEST(TensorMapsF8, forward_e4m3)
{
    using Operation = Forward<f8_ocp_t, f8_ocp_t, f8_ocp_t, wgmma_f32_16x8x32_e4m3_e4m3, 64, 96>;
    for_problems(draw(8), 4, expect_right_of<Operation>);
}

TEST(TensorMapsF8, forward_of_both_kinds)
{
    using Operation = Forward<bf8_ocp_t, f8_ocp_t, half_t, wgmma_f32_16x8x32_e5m2_e4m3, 64, 32>;
    for_problems(draw(9), 4, expect_right_of<Operation>);
}

TEST(TensorMapsF8, forward_promoted)
{
    constexpr GemmTuning tuning = [] {
        GemmTuning t                 = map_tuning(wgmma_f32_16x8x32_e4m3_e4m3, 128, 64, 3, 16);
        t.c_vector                   = 4;
        t.maps.promoted_accumulation = true;
        return t;
    }();
    using Operation =
        ConvOperation<ForwardDirection,
                      ConvTypes<f8_ocp_t, f8_ocp_t, float, PassThrough, PassThrough, PassThrough>,
                      tuning>;
    for_problems(draw(12), 4, expect_right_of<Operation>);
    ConvProblem p = small_problem(1, 512); // sums that 14 bits do not hold
    EXPECT_TRUE(expect_right_of<Operation>(p));
}

TEST(TensorMapsInt8, backward_data)
{
    constexpr GemmTuning tuning = map_tuning(wgmma_i32_16x8x32_s8, 64, 128, 3, 16);
    for_problems(draw(10), 4, expect_right<BackwardDataDirection, std::int8_t, tuning>);
}

TEST(TensorMapsF8, backward_data)
{
    constexpr GemmTuning tuning = map_tuning(wgmma_f32_16x8x32_e4m3_e4m3, 64, 256, 3, 16);
    for_problems(draw(11), 3, expect_right<BackwardDataDirection, f8_ocp_t, tuning>);
}

TEST(TensorMapsInt8, refuse_parts_of_16_bytes)
{
    using Operation = Forward<std::int8_t, std::int8_t, std::int8_t, wgmma_i32_16x8x32_s8, 128, 64>;
    const Support s = expect_right_of<Operation>(small_problem(1, 24));
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    EXPECT_NE(s.reason.find("C is 24, not a multiple of 16"), std::string::npos) << s.reason;
    const Support groups = expect_right_of<Operation>(small_problem(2, 32));
    EXPECT_NE(groups.reason.find("a group has 32 channels of X, not a multiple of the 64"),
              std::string::npos)
        << groups.reason;
}

/// Copied by every thread: groups.
TEST(TensorMapsInt8, by_copies_of_threads)
{
    constexpr GemmTuning copies = [] {
        GemmTuning t = map_tuning(wgmma_i32_16x8x32_s8, 64, 64, 3, 16);
        t.pipeline   = Pipeline::async_copies;
        return t;
    }();
    const Support s = expect_right<ForwardDirection, std::int8_t, copies>(small_problem(3, 144));
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    EXPECT_TRUE(s) << s.reason;
}

/// Back to eight bits: with a bias for each channel, rectified, scaled.
TEST(TensorMapsInt8, operation_on_sums)
{
    using Clamp = tensor_operation::element_wise::Add_Activation_Mul_Clamp<
        tensor_operation::element_wise::Relu>;
    using Operation = ConvOperation<ForwardDirection,
                                    ConvTypes<std::int8_t,
                                              std::int8_t,
                                              std::int8_t,
                                              PassThrough,
                                              PassThrough,
                                              Clamp,
                                              Tuple<std::int32_t>>,
                                    map_tuning(wgmma_i32_16x8x32_s8, 64, 64, 3, 16)>;
    const Clamp clamp{.5f}; // halves exactly
    const ConvProblem p = small_problem(1, 144);
    const OnDevice<std::int8_t> x(p.input_lengths(), p.input_strides, 1, false),
        w(p.filter_lengths(), p.filter_strides, 2, false);
    OnDevice<std::int8_t> y(p.output_lengths(), p.output_strides, 3, true),
        expected(p.output_lengths(), p.output_strides, 3, true);
    OnDevice<std::int32_t> sums(p.output_lengths(), p.output_strides, 3, true),
        bias({1, 1, p.out_channels, 1, 1, 1}, {0, 0, 1, 0, 0, 0}, 4, false);
    for(std::size_t i = 0; i < bias.host.size(); ++i)
        bias.host[i] = static_cast<std::int32_t>(i * 37 % 101) - 50;
    bias.memory.ToDevice(bias.host.data());
    typename Operation::Argument argument{};
    argument.problem     = p;
    argument.a           = x.pointer();
    argument.b           = w.pointer();
    argument.c           = y.pointer();
    argument.d[0]        = {bias.pointer(), {0, 0, 1, 0, 0, 0}};
    argument.operation_c = clamp;
    const Support s      = Operation::supports(argument);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    ASSERT_TRUE(s) << s.reason;
    Operation::run(argument, StreamConfig{});
    ref::naive_conv_fwd(p, x.pointer(), w.pointer(), sums.pointer());
    sums.fetch();
    for(std::size_t i = 0; i < sums.host.size(); ++i) // channels are the fastest
        clamp(expected.host[i],
              sums.host[i],
              bias.host[i % static_cast<std::size_t>(p.out_channels)]);
    expected.memory.ToDevice(expected.host.data());
    EXPECT_EQ(mistakes(y, expected), 0u);
}

} // namespace
} // namespace ck::test::bytes
