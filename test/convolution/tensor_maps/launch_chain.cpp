// Launches that each read what the previous one wrote, without a pause: kernels that start early
// must wait before they touch memory. On the host, where a launch ends before the next one begins,
// only the results are tested.
//
// Labels: not on AMD, not emulated
#include "ck/host_utility/device_prop.hpp"

#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::launch_chain {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

constexpr bool emulated           = arch::emulated;
constexpr arch::Matrix half_wgmma = wgmma_f32_16x8x16_f16;

/// 1x1, as many channels of Y as of X.
ConvProblem square_problem(long_index_t batch, long_index_t channels)
{
    ConvProblem p;
    p.rank = 2, p.batch = emulated ? 1 : batch;
    p.in_channels = p.out_channels = emulated ? 128 : channels;
    p.filter                       = {1, 1, 1};
    p.input                        = {1, emulated ? 5 : 16, 16};
    set_packed_strides(p);
    return p;
}

/// A filter that makes the next channel of X this one of Y; backward data goes back.
struct NextChannel : OnDevice<half_t>
{
    explicit NextChannel(const ConvProblem& p)
        : OnDevice<half_t>(p.filter_lengths(), p.filter_strides, 1, false)
    {
        const long_index_t channels = p.in_channels;
        for(long_index_t k = 0; k < channels; ++k)
            for(long_index_t c = 0; c < channels; ++c)
                host[static_cast<std::size_t>(k * channels + c)] =
                    type_convert<half_t>(c == (k + 1) % channels ? 1.f : 0.f);
        memory.ToDevice(host.data());
    }
};

/// c = a * b, at once after what runs.
template <class Direction, GemmTuning tuning>
void launch(const ConvProblem& p,
            const OnDevice<half_t>& a,
            const OnDevice<half_t>& b,
            const OnDevice<half_t>& c)
{
    using Operation = MapOperation<Direction, half_t, tuning>;
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a = a.pointer(), argument.b = b.pointer(), argument.c = c.pointer();
    const Support s = Operation::supports(argument);
    ASSERT_TRUE(s) << s.reason;
    Operation::run(argument, StreamConfig{});
}

constexpr GemmTuning small = map_tuning(half_wgmma, 64, 64, 3), deferred = [] {
    GemmTuning t = map_tuning(half_wgmma, 256, 128, 3);
    t.wave_m     = 32;
    return t;
}();
static_assert(defers_stores(deferred) && !defers_stores(small));

template <GemmTuning tuning>
std::string reason_of(const ConvProblem& p)
{
    using Operation = MapOperation<ForwardDirection, half_t, tuning>;
    typename Operation::Argument argument{};
    argument.problem = p;
    return Operation::supports(argument).reason;
}

/// Launches longer than it takes to send one, on some of the multiprocessors: others are free to
/// start the next.
TEST(LaunchChain, forward_and_backward_data)
{
    const ConvProblem p = square_problem(1, 4096);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, reason_of<small>(p));
    const NextChannel next(p);
    OnDevice<half_t> at[2]          = {{p.input_lengths(), p.input_strides, 2, false},
                                       {p.input_lengths(), p.input_strides, 3, true}};
    const std::vector<half_t> first = at[0].host;
    constexpr int rounds            = emulated ? 1 : 100;
    const long_index_t channels     = p.in_channels;
    long_index_t shift              = 0;
    for(int round = 0; round < rounds; ++round)
    {
        launch<ForwardDirection, small>(p, at[0], next, at[1]);
        launch<ForwardDirection, deferred>(p, at[1], next, at[0]);
        launch<BackwardDataDirection, deferred>(p, at[0], next, at[1]);
        launch<ForwardDirection, deferred>(p, at[1], next, at[0]);
        launch<BackwardDataDirection, small>(p, at[0], next, at[1]);
        launch<ForwardDirection, small>(p, at[1], next, at[0]);
        shift += 2;
    }
    at[0].fetch();
    std::size_t wrong = 0;
    for(std::size_t i = 0; i < first.size(); ++i)
    {
        const auto c = static_cast<long_index_t>(i) % channels;
        const auto from =
            i - static_cast<std::size_t>(c) + static_cast<std::size_t>((c + shift) % channels);
        wrong += !(type_convert<float>(at[0].host[i]) == type_convert<float>(first[from]));
    }
    EXPECT_EQ(wrong, 0u);
}

template <GemmTuning tuning>
void expect_right_weights()
{
    const ConvProblem p = square_problem(16, 256);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, reason_of<small>(p));
    using Operation = BackwardWeightOperation<
        ConvTypes<half_t, half_t, float, PassThrough, PassThrough, PassThrough, Tuple<>>,
        tuning>;
    const NextChannel next(p);
    const OnDevice<half_t> x(p.input_lengths(), p.input_strides, 4, false);
    constexpr std::size_t count = emulated ? 2 : 20;
    std::vector<OnDevice<half_t>> dy;
    std::vector<OnDevice<float>> dw;
    dy.emplace_back(p.output_lengths(), p.output_strides, 5, false);
    for(std::size_t i = 0; i < count; ++i)
    {
        dy.emplace_back(p.output_lengths(), p.output_strides, 6, true);
        dw.emplace_back(p.filter_lengths(), p.filter_strides, 7, true);
    }
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.b       = x.pointer();
    argument.split_k = 3;
    Operation::make_plan(argument);
    const PlacedMemory workspace(Operation::workspace_size(argument));
    ASSERT_GT(workspace.GetBufferSize(), 0u) << "there are partial sums";
    workspace.fill(0xFF);
    for(std::size_t i = 0; i < count; ++i)
    {
        launch<ForwardDirection, small>(p, dy[i], next, dy[i + 1]);
        argument.a      = dy[i + 1].pointer();
        argument.c      = dw[i].pointer();
        const Support s = Operation::supports(argument, true);
        ASSERT_TRUE(s) << s.reason;
        Operation::run(argument, StreamConfig{}, workspace.GetDeviceBuffer());
    }
    for(std::size_t i = 0; i < count; ++i)
    {
        OnDevice<float> expected(p.filter_lengths(), p.filter_strides, 7, true);
        ref::naive_conv_bwd_weight(p, x.pointer(), expected.pointer(), dy[i + 1].pointer());
        EXPECT_EQ(mistakes(dw[i], expected), 0u) << "of launch " << i;
    }
}

/// A second launch adds the partial sums up; the next launch stores its own in the same place.
TEST(LaunchChain, backward_weight) { expect_right_weights<map_tuning(half_wgmma, 64, 128, 3)>(); }

/// Whether backward weight in partial sums, 1x1 on an H200, starts early.
template <GemmTuning tuning>
bool starts_early(long_index_t batch,
                  long_index_t in_channels,
                  long_index_t out_channels,
                  long_index_t image)
{
    using Operation = BackwardWeightOperation<
        ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough, Tuple<>>,
        tuning>;
    using Gemm = typename Operation::Gemm;
    const AssumedComputeUnits h200(132);
    ConvProblem p;
    p.rank = 2, p.batch = batch, p.in_channels = in_channels, p.out_channels = out_channels;
    p.filter = {1, 1, 1}, p.input = {1, image, image};
    set_packed_strides(p);
    typename Operation::Argument planned{};
    planned.problem = p;
    planned.split_k = -1;
    Operation::make_plan(planned);
    EXPECT_TRUE(planned.plan.split.has_partial_sums());
    const auto bytes_of = [](const TensorLengths& lengths) {
        return static_cast<std::size_t>(element_count(lengths)) * sizeof(half_t);
    };
    const DeviceMem x(bytes_of(p.input_lengths())), dy(bytes_of(p.output_lengths())),
        partial_sums(sizeof(float));
    typename Gemm::Argument argument{};
    argument.problem      = p;
    argument.a            = static_cast<const half_t*>(dy.GetDeviceBuffer());
    argument.b            = static_cast<const half_t*>(x.GetDeviceBuffer());
    argument.partial_sums = partial_sums.GetDeviceBuffer();
    argument.split        = planned.plan.split;
    return Gemm::Kernel::starts_early(Gemm::make_params(argument));
}

TEST(BackwardWeightInParts, starts_early_where_it_is_short)
{
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, reason_of<small>(square_problem(16, 256)));
    constexpr GemmTuning square = map_tuning(half_wgmma, 128, 128, 6),
                         narrow = map_tuning(half_wgmma, 64, 64, 6);
    EXPECT_TRUE((starts_early<square>(64, 512, 2048, 7)));
    EXPECT_FALSE((starts_early<square>(256, 1024, 512, 14))) << "too many multiplications";
    EXPECT_TRUE((starts_early<narrow>(16, 64, 64, 56)));
    EXPECT_FALSE((starts_early<narrow>(256, 64, 64, 56))) << "too many bytes";
}

} // namespace
} // namespace ck::test::launch_chain
