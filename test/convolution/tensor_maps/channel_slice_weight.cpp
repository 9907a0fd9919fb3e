// Labels: not on AMD
// Cases not sanitized: ChannelSlices.backward_weight_of_automatic_partials_and_of_none
// Cases not sanitized: ChannelSlices.backward_weight_of_64_channels
// Backward weight by channel slices (Pipeline::channel_slices), against the definition.
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::channel_slice_weight {
namespace {

using namespace tensor_operation::device;

constexpr arch::Matrix f16  = arch::Matrix::mma_f32_16x8x16_f16,
                       bf16 = arch::Matrix::mma_f32_16x8x16_bf16,
                       s8   = arch::Matrix::mma_i32_16x8x32_s8;

/// Channel slices of `channel_slice` channels at y x x taps, `of_warp` of them for each warp.
constexpr GemmTuning channel_slice_tuning(
    arch::Matrix id, index_t channel_slice, index_t y, index_t x, index_t of_warp, index_t pixels)
{
    return {.block_tile        = {128 / arch::input_bytes(id), y * x * channel_slice, pixels},
            .wave_m            = channel_slice,
            .wave_n            = of_warp * channel_slice,
            .instruction       = id,
            .a_vector          = 1,
            .b_vector          = 1,
            .c_vector          = 1,
            .pipeline          = Pipeline::channel_slices,
            .min_blocks_per_cu = 2,
            .window            = {.y = y, .x = x}};
}

/// The problem with as many channels of X, in groups of `channels`; lines are whole packs.
ConvProblem in_groups(ConvProblem p, long_index_t channels, long_index_t pack = 8)
{
    const long_index_t all =
        math::integer_least_multiple(p.in_channels, std::max<long_index_t>(channels, pack));
    p.groups      = all / channels;
    p.in_channels = p.out_channels = channels;
    set_packed_strides(p);
    return p;
}

/// Expects the results of problems of all ranks in 1, 2, and 3 partial sums.
template <class T, GemmTuning tuning, class Weight = float>
void expect_right(long_index_t channels, unsigned seed)
{
    index_t split_k = 0;
    for_problems(
        {std::mt19937(seed)},
        3,
        [&](const ConvProblem& p) {
            split_k = split_k % 3 + 1;
            return expect_right_weight<T, tuning, T, Weight>(in_groups(p, channels, 16 / sizeof(T)),
                                                             split_k);
        },
        "halo tile");
}

TEST(ChannelSlices, backward_weight_of_8_channels)
{
    expect_right<half_t, channel_slice_tuning(f16, 8, 3, 3, 9, 64)>(8, 1);
}
TEST(ChannelSlices, backward_weight_of_4_channels)
{
    expect_right<bhalf_t, channel_slice_tuning(bf16, 8, 3, 3, 9, 128), bhalf_t>(4, 2);
}
TEST(ChannelSlices, backward_weight_of_1_channel)
{
    expect_right<half_t, channel_slice_tuning(f16, 8, 2, 3, 6, 64)>(1, 3);
}
TEST(ChannelSlices, backward_weight_of_16_channels)
{
    expect_right<bhalf_t, channel_slice_tuning(bf16, 16, 3, 3, 9, 64)>(16, 4);
}
TEST(ChannelSlices, backward_weight_of_32_channels)
{
    expect_right<half_t, channel_slice_tuning(f16, 32, 3, 3, 3, 128), half_t>(32, 5);
}
TEST(ChannelSlices, backward_weight_of_64_channels)
{
    expect_right<half_t, channel_slice_tuning(f16, 64, 1, 3, 1, 64)>(64, 6);
}

TEST(ChannelSlices, backward_weight_of_16_bytes)
{
    expect_right<std::int8_t, channel_slice_tuning(s8, 16, 3, 3, 9, 64), std::int8_t>(16, 7);
}
TEST(ChannelSlices, backward_weight_of_4_bytes)
{
    expect_right<std::int8_t, channel_slice_tuning(s8, 16, 3, 3, 3, 128), std::int32_t>(4, 8);
}
TEST(ChannelSlices, backward_weight_of_1_byte)
{
    expect_right<std::int8_t, channel_slice_tuning(s8, 16, 1, 5, 5, 64), std::int8_t>(1, 9);
}
TEST(ChannelSlices, backward_weight_of_32_bytes)
{
    expect_right<std::int8_t, channel_slice_tuning(s8, 32, 3, 3, 3, 64), std::int8_t>(32, 10);
}
TEST(ChannelSlices, backward_weight_of_64_bytes)
{
    expect_right<std::int8_t, channel_slice_tuning(s8, 64, 1, 3, 1, 64), std::int8_t>(64, 11);
}

/// Sums in as many partial sums as the launch takes, and in none: dW itself, whose rows are not
/// packed.
TEST(ChannelSlices, backward_weight_of_automatic_partials_and_of_none)
{
    static constexpr GemmTuning tuning = channel_slice_tuning(f16, 16, 3, 3, 3, 64);
    ConvProblem p;
    p.rank    = 2;
    p.batch   = 3;
    p.input   = {1, 14, 9};
    p.filter  = {1, 4, 5};
    p.pad_low = p.pad_high = {0, 1, 2};
    p.in_channels          = 96;
    p                      = in_groups(p, 16);
    const auto run         = [&](index_t split_k, std::optional<SplitPlan> plan = {}) {
        return expect_right_weight<half_t, tuning, half_t, half_t>(p, split_k, plan).reason;
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, run(1));
    EXPECT_EQ(run(-1), "");
    EXPECT_EQ(run(1, SplitPlan{}), "");
    EXPECT_EQ(run(1, SplitPlan{50, 0, 1, true}), ""); // most partial sums are empty
    p.filter_strides[1] += 7;
    p.filter_strides[0] = 16 * p.filter_strides[1];
    EXPECT_EQ(run(1, SplitPlan{}), "");
}

TEST(ChannelSlices, refuse_other_groups_and_tensors)
{
    static constexpr GemmTuning tuning = channel_slice_tuning(f16, 8, 3, 3, 9, 64);
    ConvProblem p;
    p.rank         = 2;
    p.batch        = 2;
    p.input        = {1, 9, 9};
    p.filter       = {1, 3, 3};
    p.in_channels  = 32;
    p              = in_groups(p, 8);
    const auto run = [](ConvProblem of, bool packed = true) {
        if(packed)
            set_packed_strides(of);
        return expect_right_weight<half_t, tuning>(of, 1).reason;
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, run(p));
    EXPECT_EQ(run(p), "");
    const auto expect_refused = [](const std::string& reason, const char* words) {
        EXPECT_NE(reason.find(words), std::string::npos) << reason;
    };
    ConvProblem q  = p;
    q.out_channels = 16;
    expect_refused(run(q), "C is 8 and K is 16, but this kernel's groups have as many");
    q             = p;
    q.in_channels = q.out_channels = 6;
    expect_refused(run(q),
                   "C is 6, but this kernel's channel slices of 8 channels have whole groups");
    q             = p;
    q.in_channels = q.out_channels = 0;
    expect_refused(run(q),
                   "C is 0, but this kernel's channel slices of 8 channels have whole groups");
    q             = p;
    q.groups      = 3;
    q.in_channels = q.out_channels = 4;
    expect_refused(run(q), "G * K is 12, not a multiple of 8");
    q = p;
    q.input_strides[0] += 8; // between groups
    q.input_strides[5] += 32;
    q.input_strides[4] *= 2;
    q.input_strides[1] *= 2;
    expect_refused(run(q, false), "the groups of X are 16 elements apart");
    q             = p;
    q.dilation[2] = 60;
    q.pad_low[2] = q.pad_high[2] = 60;
    q.input[2]                   = 200;
    q.stride[2]                  = 3;
    expect_refused(run(q), "a halo tile spans");
}

} // namespace
} // namespace ck::test::channel_slice_weight
