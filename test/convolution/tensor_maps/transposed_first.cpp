// Operands that an earlier launch transposes to the workspace: backward data's filters and backward
// weight's dY, of types that wgmma reads only along the reduction.
//
// Labels: not on AMD
// Cases not sanitized: TransposedFirst.backward_data_tf32 TransposedFirst.backward_weight_tf32
// Cases not sanitized: TransposedFirst.backward_data_int8
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::transposed_first {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

constexpr GemmTuning transposed_first(GemmTuning t)
{
    t.maps.transposed_first = true;
    return t;
}

/// Warps have 16 columns and all rows of the block.
constexpr GemmTuning columns_first(GemmTuning t)
{
    t.wave_m = t.block_tile.m;
    t.wave_n = 16;
    return t;
}

constexpr GemmTuning data_tf32 = transposed_first(map_tuning(wgmma_f32_16x8x8_tf32, 128, 96, 3, 4));
constexpr GemmTuning data_i8   = transposed_first(map_tuning(wgmma_i32_16x8x32_s8, 64, 160, 3, 16));
constexpr GemmTuning weight_tf32 =
    columns_first(transposed_first(map_tuning(wgmma_f32_16x8x8_tf32, 96, 128, 3, 4)));
constexpr GemmTuning weight_i8 = transposed_first(map_tuning(wgmma_i32_16x8x32_s8, 64, 128, 3, 16));

template <class T, GemmTuning tuning, class Compute = T>
Support expect_right_data(const ConvProblem& p)
{
    using Operation = MapOperation<BackwardDataDirection, T, tuning, Compute>;
    return expect_right_run_by<Operation>(p, [](const typename Operation::Argument& argument) {
        EXPECT_FALSE(Operation::supports(argument, false));
        EXPECT_TRUE(Operation::supports(argument, true));
        const PlacedMemory workspace(Operation::workspace_size(argument));
        workspace.fill(0xFF);
        Operation::run(argument, StreamConfig{}, workspace.GetDeviceBuffer());
    });
}

/// A problem of two dimensions, 3x3.
ConvProblem small_problem(long_index_t channels, long_index_t height)
{
    ConvProblem p;
    p.rank         = 2;
    p.out_channels = p.in_channels = channels;
    p.filter                       = {1, 3, 3};
    p.input                        = {1, height, 8};
    set_packed_strides(p);
    return p;
}

Draw draw_of_bytes(unsigned seed, bool by_pixels)
{
    Draw d{std::mt19937(seed), by_pixels};
    d.pack = 16;
    return d;
}

TEST(TransposedFirst, backward_data_tf32)
{
    for_problems({std::mt19937(21)}, 6, expect_right_data<float, data_tf32, tf32_t>);
}

TEST(TransposedFirst, backward_data_int8)
{
    for_problems(draw_of_bytes(22, false), 6, expect_right_data<std::int8_t, data_i8>);
}

TEST(TransposedFirst, backward_weight_tf32)
{
    index_t split_k = 0;
    for_problems({std::mt19937(23), true}, 8, [&](const ConvProblem& p) {
        split_k = split_k % 3 + 1;
        return expect_right_weight<float, weight_tf32, tf32_t>(p, split_k);
    });
}

/// The filter is longer than X: dW is zeros.
TEST(TransposedFirst, backward_weight_without_pixels)
{
    const Support s = expect_right_weight<float, weight_tf32, tf32_t>(small_problem(32, 2), 1);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    EXPECT_TRUE(s) << s.reason;
}

TEST(TransposedFirst, backward_weight_int8)
{
    index_t split_k = 0;
    for_problems(
        draw_of_bytes(24, true),
        4,
        [&](const ConvProblem& p) {
            split_k = split_k % 3 + 1;
            return expect_right_weight<std::int8_t, weight_i8, std::int8_t, std::int8_t>(p,
                                                                                         split_k);
        },
        "this kernel's");
}

/// The end of a launch in partial sums, whose sums lie after the transposed filters.
template <class T, GemmTuning tuning, class Compute>
Support expect_right_in_parts(const ConvProblem& p)
{
    using Operation = MapOperation<BackwardDataDirection, T, tuning, Compute>;
    return expect_right_run_by<Operation>(p, [](const typename Operation::Argument& argument) {
        auto plan = Operation::plan(argument);
        plan.tail = tail_of(plan, 1, 3);
        const PlacedMemory workspace(Operation::workspace_size(plan));
        workspace.fill(0xFF);
        LaunchList list;
        Operation::add(list, plan, workspace.GetDeviceBuffer());
        list.run(StreamConfig{});
    });
}

TEST(TransposedFirst, parts_beside_it)
{
    constexpr GemmTuning tuning = transposed_first(map_tuning(wgmma_f32_16x8x8_tf32, 64, 64, 3, 4));
    for_problems({std::mt19937(25)}, 2, expect_right_in_parts<float, tuning, tf32_t>);
}

TEST(TransposedFirst, refuses_filters_with_gaps)
{
    constexpr GemmTuning tuning = transposed_first(map_tuning(wgmma_f32_16x8x8_tf32, 64, 64, 3, 4));
    ConvProblem p               = small_problem(16, 8);
    p.filter_strides[4] += 16;
    p.filter_strides[1] += 16 * 3;
    const Support s = expect_right<BackwardDataDirection, float, tuning, tf32_t>(p);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    EXPECT_NE(s.reason.find("filter of W do not have one distance"), std::string::npos) << s.reason;
}

} // namespace
} // namespace ck::test::transposed_first
