// Labels: not on AMD
// Cases not sanitized: ChannelSlices.backward_data_of_4_channels
// Cases not sanitized: ChannelSlices.backward_data_of_half_channel_slices
// Cases not sanitized: ChannelSlices.backward_data_of_16_channels
// Cases not sanitized: ChannelSlices.forward_of_64_channels
// Forward and backward data by channel slices (Pipeline::channel_slices), against the definition.
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::channel_slices {
namespace {

using namespace tensor_operation::device;

constexpr arch::Matrix f16  = arch::Matrix::mma_f32_16x8x16_f16,
                       bf16 = arch::Matrix::mma_f32_16x8x16_bf16,
                       s8   = arch::Matrix::mma_i32_16x8x32_s8,
                       e4m3 = arch::Matrix::mma_f32_16x8x32_e4m3_e4m3;

/// Channel slices of this many channels, with tiles of `pixels`; a warp has wave_m of them and
/// wave_n channels.
constexpr GemmTuning channel_slice_tuning(
    arch::Matrix id, index_t channel_slice, index_t pixels, index_t wave_m, index_t wave_n)
{
    const index_t pack = 16 / arch::input_bytes(id);
    return {.block_tile        = {pixels, 8 * pack, channel_slice},
            .wave_m            = wave_m,
            .wave_n            = wave_n,
            .instruction       = id,
            .a_vector          = pack,
            .b_vector          = 1,
            .c_vector          = pack,
            .pipeline          = Pipeline::channel_slices,
            .min_blocks_per_cu = 2,
            .reduction         = Reduction::merged};
}

/// Draws problems with a number of channels in a group, and enough groups to fill whole packs.
struct DrawGroups : Draw
{
    long_index_t channels;

    ConvProblem problem(index_t rank)
    {
        ConvProblem p              = Draw::problem(rank);
        const long_index_t of_pack = std::max<long_index_t>(1, pack / channels);
        p.groups                   = of_pack * (*this)(1, 160 / (of_pack * channels));
        p.in_channels = p.out_channels = channels;
        set_packed_strides(p);
        return p;
    }
};

/// Expects the results of problems of all ranks. backward: dX, else Y.
template <class Direction, class T, GemmTuning tuning>
void expect_channel_slices(long_index_t channels, unsigned seed, long_index_t most_stride = 2)
{
    DrawGroups draw{{std::mt19937(seed)}, channels};
    draw.most_stride = most_stride;
    draw.pack        = tuning.a_vector;
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right<Direction, T, tuning>(DrawGroups(draw).problem(1)).reason));
    for(index_t rank = 1; rank <= 3; ++rank)
    {
        int ran = 0, refused = 0;
        while(ran < 3 && refused < 12)
        {
            const ConvProblem p = draw.problem(rank);
            SCOPED_TRACE(text(p) + " G " + std::to_string(p.groups));
            const Support s = expect_right<Direction, T, tuning>(p);
            (s ? ran : refused) += 1;
            if(!s)
            {
                EXPECT_NE(s.reason.find("halo tile"), std::string::npos) << s.reason;
            }
        }
        EXPECT_EQ(ran, 3) << "rank " << rank;
    }
}

TEST(ChannelSlices, forward_of_8_channels)
{
    expect_channel_slices<ForwardDirection, half_t, channel_slice_tuning(f16, 8, 64, 32, 16)>(8, 1);
}
TEST(ChannelSlices, forward_of_4_channels)
{
    expect_channel_slices<ForwardDirection, bhalf_t, channel_slice_tuning(bf16, 8, 128, 64, 16)>(4,
                                                                                                 2);
}
TEST(ChannelSlices, forward_of_16_channels)
{
    expect_channel_slices<ForwardDirection, bhalf_t, channel_slice_tuning(bf16, 16, 64, 32, 16)>(16,
                                                                                                 3);
}
TEST(ChannelSlices, forward_of_32_channels)
{
    expect_channel_slices<ForwardDirection, half_t, channel_slice_tuning(f16, 32, 64, 16, 32)>(32,
                                                                                               4);
}
TEST(ChannelSlices, backward_data_of_8_channels)
{
    expect_channel_slices<BackwardDataDirection,
                          bhalf_t,
                          channel_slice_tuning(bf16, 8, 64, 32, 16)>(8, 5);
}
TEST(ChannelSlices, backward_data_of_4_channels)
{
    expect_channel_slices<BackwardDataDirection, half_t, channel_slice_tuning(f16, 8, 128, 64, 16)>(
        4, 6);
}
TEST(ChannelSlices, backward_data_of_16_channels)
{
    expect_channel_slices<BackwardDataDirection, half_t, channel_slice_tuning(f16, 16, 64, 32, 16)>(
        16, 7);
}
TEST(ChannelSlices, forward_of_64_channels)
{
    expect_channel_slices<ForwardDirection, half_t, channel_slice_tuning(f16, 64, 128, 64, 32)>(64,
                                                                                                9);
}
/// Lines of a slice whose groups have a gap between them: that of X, then that of Y.
TEST(ChannelSlices, refuses_groups_that_are_apart)
{
    for(const long_index_t groups : {2, 3})
        for(const bool of_x : {true, false})
        {
            const ConvProblem packed = make_packed_problem<2>(groups,
                                                              1,
                                                              64,
                                                              64,
                                                              {1, 1},
                                                              {8, 8},
                                                              {1, 1},
                                                              {1, 1},
                                                              {0, 0},
                                                              {0, 0},
                                                              PackedOrder::group_inside);
            ConvProblem apart        = packed;
            TensorStrides& strides   = of_x ? apart.input_strides : apart.output_strides;
            for(const std::size_t dimension : {1, 3, 4, 5})
                strides[dimension] = strides[dimension] / 64 * 72;
            strides[0]     = 72;
            const auto run = [](const ConvProblem& p) {
                return expect_right<ForwardDirection,
                                    half_t,
                                    channel_slice_tuning(f16, 64, 128, 64, 32)>(p);
            };
            CK_SKIP_WITHOUT(arch::Requirement::wgmma, run(packed).reason);
            EXPECT_EQ(run(packed).reason, "");
            EXPECT_NE(run(apart).reason.find(std::string("lines of ") + (of_x ? "X" : "Y") +
                                             " of 64 channels are 72 elements apart"),
                      std::string::npos)
                << run(apart).reason;
        }
}
TEST(ChannelSlices, backward_data_of_half_channel_slices)
{
    expect_channel_slices<BackwardDataDirection,
                          bhalf_t,
                          channel_slice_tuning(bf16, 32, 64, 32, 16)>(32, 8);
}

TEST(ChannelSlices, forward_of_16_bytes)
{
    expect_channel_slices<ForwardDirection, std::int8_t, channel_slice_tuning(s8, 16, 64, 32, 32)>(
        16, 10);
}
TEST(ChannelSlices, forward_of_4_bytes)
{
    expect_channel_slices<ForwardDirection, std::int8_t, channel_slice_tuning(s8, 16, 128, 32, 64)>(
        4, 11);
}
TEST(ChannelSlices, backward_data_of_8_bytes)
{
    expect_channel_slices<BackwardDataDirection,
                          std::int8_t,
                          channel_slice_tuning(s8, 16, 128, 64, 32)>(8, 12);
}
TEST(ChannelSlices, backward_data_of_32_bytes)
{
    expect_channel_slices<BackwardDataDirection,
                          std::int8_t,
                          channel_slice_tuning(s8, 32, 64, 32, 32)>(32, 13);
}
TEST(ChannelSlices, forward_of_64_bytes)
{
    expect_channel_slices<ForwardDirection, std::int8_t, channel_slice_tuning(s8, 64, 64, 32, 64)>(
        64, 14);
}
TEST(ChannelSlices, forward_of_128_bytes)
{
    expect_channel_slices<ForwardDirection, std::int8_t, channel_slice_tuning(s8, 128, 64, 64, 32)>(
        128, 15);
}

TEST(ChannelSlices, forward_of_16_floats_of_a_byte)
{
    expect_channel_slices<ForwardDirection, f8_ocp_t, channel_slice_tuning(e4m3, 16, 128, 64, 32)>(
        8, 16);
}
TEST(ChannelSlices, backward_data_of_32_floats_of_a_byte)
{
    expect_channel_slices<BackwardDataDirection,
                          f8_ocp_t,
                          channel_slice_tuning(e4m3, 32, 128, 64, 32)>(32, 17);
}

/// Expects the results of groups whose number no line divides: the last line has fewer groups than
/// the others. lines: how many there are. Strides of 1 and 2, dilations, and pixels with something
/// between them.
template <class Direction, class T, GemmTuning tuning>
void expect_partial_line(long_index_t groups, long_index_t channels, index_t lines)
{
    const auto of = [&](long_index_t stride, long_index_t dilation) {
        return make_packed_problem<2>(groups,
                                      2,
                                      channels,
                                      channels,
                                      {3, 2},
                                      {11, 13},
                                      {stride, 1},
                                      {1, dilation},
                                      {1, 0},
                                      {1, 2});
    };
    ConvProblem apart = of(1, 1);
    for(TensorStrides* strides : {&apart.input_strides, &apart.output_strides})
        for(const std::size_t i : {1, 3, 4, 5}) // n d h w
            (*strides)[i] += (*strides)[i] / (groups * channels) * tuning.a_vector;
    using Operation = MapOperation<Direction, T, tuning>;
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, (expect_right<Direction, T, tuning>(apart).reason));
    for(const ConvProblem& p : {of(1, 1), of(2, 1), of(1, 2), apart})
    {
        SCOPED_TRACE(text(p) + " G " + std::to_string(groups));
        typename Operation::Argument argument{};
        argument.problem = p;
        EXPECT_EQ(Operation::plan(argument).params.tiles.groups.value, lines);
        EXPECT_EQ((expect_right<Direction, T, tuning>(p)).reason, "");
    }
}

constexpr GemmTuning of_8 = channel_slice_tuning(f16, 8, 64, 32, 16);

TEST(ChannelSlices, last_line_of_fewer_groups_of_16)
{
    constexpr GemmTuning tuning = channel_slice_tuning(bf16, 16, 64, 32, 16);
    expect_partial_line<ForwardDirection, bhalf_t, tuning>(7, 16, 2);
    expect_partial_line<BackwardDataDirection, bhalf_t, tuning>(7, 16, 2);
}
TEST(ChannelSlices, last_line_of_fewer_groups_of_8)
{
    expect_partial_line<ForwardDirection, half_t, of_8>(11, 8, 2);
    expect_partial_line<BackwardDataDirection, half_t, of_8>(11, 8, 2);
    // a warp's columns are groups of two lines
    constexpr GemmTuning wide = channel_slice_tuning(f16, 16, 64, 16, 32);
    expect_partial_line<ForwardDirection, half_t, wide>(19, 8, 3);
    expect_partial_line<BackwardDataDirection, half_t, wide>(9, 8, 2);
}
/// Stored in whole vectors: 9 and 9 groups of 4 channels would not be.
TEST(ChannelSlices, last_line_of_fewer_groups_of_4)
{
    expect_partial_line<ForwardDirection, half_t, of_8>(18, 4, 2);
    expect_partial_line<BackwardDataDirection, half_t, of_8>(22, 4, 2);
}
TEST(ChannelSlices, last_line_of_fewer_groups_of_bytes)
{
    constexpr GemmTuning tuning = channel_slice_tuning(s8, 16, 64, 32, 32);
    expect_partial_line<ForwardDirection, std::int8_t, tuning>(9, 16, 2);
    expect_partial_line<BackwardDataDirection, std::int8_t, tuning>(9, 16, 2);
}

/// Y + D, or dX + D, of strides of 2: an operation reads D where C lies.
template <class Direction>
void expect_right_with_a_tensor(const ConvProblem& p)
{
    using Add   = tensor_operation::element_wise::Add;
    using Types = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, Add, Tuple<half_t>>;
    using ChannelSlices =
        ConvOperation<Direction, Types, channel_slice_tuning(f16, 16, 64, 32, 16)>;
    const auto tensor = [&](Role role, unsigned seed, bool nan) {
        return OnDevice<half_t>(lengths_of(p, role), strides_of(p, role), seed, nan);
    };
    const auto a = tensor(Direction::a, 1, false), b = tensor(Direction::b, 2, false),
               d = tensor(Direction::c, 4, false);
    auto c = tensor(Direction::c, 3, true), expected = tensor(Direction::c, 3, true);
    typename ChannelSlices::Argument argument{};
    argument.problem = p;
    argument.a       = a.pointer();
    argument.b       = b.pointer();
    argument.c       = c.pointer();
    argument.d[0]    = {d.pointer(), strides_of(p, Direction::c)};
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, ChannelSlices::supports(argument).reason);
    ASSERT_EQ(ChannelSlices::supports(argument).reason, "");
    ChannelSlices::run(argument, StreamConfig{});
    if constexpr(std::is_same_v<Direction, ForwardDirection>)
        ref::naive_conv_fwd(p, a.pointer(), b.pointer(), expected.pointer());
    else
        ref::naive_conv_bwd_data(p, expected.pointer(), b.pointer(), a.pointer());
    expected.fetch();
    for(std::size_t i = 0; i < d.host.size(); ++i) // packed
        expected.host[i] = type_convert<half_t>(type_convert<float>(expected.host[i]) +
                                                type_convert<float>(d.host[i]));
    expected.memory.ToDevice(expected.host.data());
    EXPECT_EQ(mistakes(c, expected), 0u);
}

TEST(ChannelSlices, with_an_operation_and_a_tensor)
{
    for(const long_index_t groups : {3, 5}) // one line, and two of which the last has fewer groups
    {
        const ConvProblem p = make_packed_problem<2>(
            groups, 3, 16, 16, {3, 3}, {11, 9}, {2, 2}, {1, 1}, {1, 0}, {2, 1});
        expect_right_with_a_tensor<ForwardDirection>(p);
        expect_right_with_a_tensor<BackwardDataDirection>(p);
    }
}

/// Why channel slices of 8 channels are refused for a problem.
template <class Direction>
std::string refusal(const ConvProblem& p)
{
    using ChannelSlices = MapOperation<Direction, half_t, channel_slice_tuning(f16, 8, 64, 32, 16)>;
    typename ChannelSlices::Argument argument{};
    argument.problem = p;
    return ChannelSlices::supports(argument).reason;
}
template <class Direction>
void expect_refusal(const ConvProblem& p, const char* what)
{
    const std::string reason = refusal<Direction>(p);
    EXPECT_NE(reason.find(what), std::string::npos) << reason;
}

TEST(ChannelSlices, refuse_other_problems)
{
    using Forward  = ForwardDirection;
    using Backward = BackwardDataDirection;
    const auto of_channels =
        [](long_index_t k, long_index_t c, PackedOrder order = PackedOrder::group_inside) {
            return make_packed_problem<2>(
                8, 2, k, c, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, order);
        };
    const auto of_filter = [](long_index_t y, long_index_t x, long_index_t stride) {
        return make_packed_problem<2>(
            8, 2, 8, 8, {y, x}, {16, 16}, {stride, stride}, {1, 1}, {0, 0}, {0, 0});
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, refusal<Forward>(of_channels(8, 8)));
    EXPECT_EQ(refusal<Forward>(of_channels(8, 8)), "");
    ConvProblem nothing = of_channels(8, 8);
    nothing.batch       = 0;
    expect_refusal<Forward>(nothing, "N is 0, but there are no tensor maps of empty tensors");
    expect_refusal<Backward>(nothing, "N is 0, but there are no tensor maps of empty tensors");
    expect_refusal<Forward>(of_channels(16, 8), "C is 8 and K is 16");
    expect_refusal<Forward>(of_channels(16, 16),
                            "C is 16, but this kernel's channel slices of 8 channels");
    expect_refusal<Forward>(of_channels(8, 8, PackedOrder::group_first),
                            "lines of X of 8 channels are 1024 elements apart");
    expect_refusal<Forward>(of_filter(9, 9, 1), "the filter has 81 taps");
    expect_refusal<Forward>(of_filter(3, 3, 3), "in more than 8 ways");
    expect_refusal<Backward>(of_filter(3, 3, 3), "the strides make 9 phases");
    expect_refusal<Backward>(
        make_packed_problem<2>(8, 2, 8, 8, {1, 1}, {1, 4}, {2, 1}, {1, 1}, {0, 0}, {0, 0}),
        "along H the stride is 2 and the length of X 1");
}

} // namespace
} // namespace ck::test::channel_slices
