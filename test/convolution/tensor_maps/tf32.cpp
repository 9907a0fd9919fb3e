// Floats that are multiplied as tf32, forward and backward data: its filters pass through
// registers.
//
// Labels: not on AMD, not sanitized
#include "convolution/tensor_maps/tensor_maps.hpp"
#include <cmath>

namespace ck::test::tf32 {
namespace {

using namespace tensor_operation::device;

constexpr GemmTuning tf32 = map_tuning(arch::Matrix::wgmma_f32_16x8x8_tf32, 128, 64, 3, 4);

/// Warps have 16 columns and all rows of the block.
constexpr GemmTuning filters_first()
{
    GemmTuning t = map_tuning(arch::Matrix::wgmma_f32_16x8x8_tf32, 64, 128, 3, 4);
    t.wave_m     = t.block_tile.m;
    t.wave_n     = 16;
    return t;
}

TEST(TensorMapsTf32, forward)
{
    for_problems({std::mt19937(5)}, 6, [](const ConvProblem& p) {
        return expect_right<ForwardDirection, float, tf32, tf32_t>(p);
    });
}

TEST(TensorMapsTf32, backward_data)
{
    for_problems({std::mt19937(6)}, 6, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection, float, filters_first(), tf32_t>(p);
    });
}

/// From 1024 to 2048 tf32 has the integers: these are in between, some halfway.
void need_rounding(OnDevice<float>& tensor)
{
    for(std::size_t i = 0; i < tensor.host.size(); ++i)
        tensor.host[i] = (i % 3 == 0 ? -1.f : 1.f) *
                         (1024.f + static_cast<float>(i * 2654435761u >> 7 & 15u) / 4.f);
    tensor.memory.ToDevice(tensor.host.data());
}
/// To the nearest, ties to even: by the host's own rounding to integers.
void round_to_integers(OnDevice<float>& tensor)
{
    for(float& x : tensor.host)
        x = std::nearbyint(x);
    tensor.memory.ToDevice(tensor.host.data());
}

/// Y is that of the tensor's rounded elements, whose sums are exact.
template <GemmTuning tuning>
void expect_rounded(const ConvProblem& p, bool of_x)
{
    SCOPED_TRACE(of_x ? "X" : "W");
    using Operation = MapOperation<ForwardDirection, float, tuning, tf32_t>;
    OnDevice<float> x(p.input_lengths(), p.input_strides, 1, false),
        w(p.filter_lengths(), p.filter_strides, 2, false),
        y(p.output_lengths(), p.output_strides, 3, true),
        expected(p.output_lengths(), p.output_strides, 3, true);
    OnDevice<float>& rounded = of_x ? x : w;
    need_rounding(rounded);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a       = x.pointer();
    argument.b       = w.pointer();
    argument.c       = y.pointer();
    const Support s  = Operation::supports(argument);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    ASSERT_TRUE(s) << s.reason;
    Operation::run(argument, StreamConfig{});
    y.fetch();
    round_to_integers(rounded);
    ref::naive_conv_fwd(p, x.pointer(), w.pointer(), expected.pointer());
    EXPECT_EQ(mistakes(y, expected), 0u);
}

TEST(TensorMapsTf32, rounds_operands_to_nearest_even)
{
    ConvProblem p{};
    p.rank         = 2;
    p.batch        = 2;
    p.out_channels = 40;
    p.in_channels  = 44; // a line and a part of one
    p.filter[1] = p.filter[2] = 3;
    p.input[1] = p.input[2] = 7;
    p.pad_low[1] = p.pad_high[2] = 1;
    set_packed_strides(p);
    expect_rounded<tf32>(p, true);
    expect_rounded<tf32>(p, false);
}

} // namespace
} // namespace ck::test::tf32
