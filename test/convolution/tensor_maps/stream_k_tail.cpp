// The last tiles of a launch are computed in partial sums: every plan must give the same result.
//
// Labels: not on AMD
// Cases not sanitized: StreamKTail.backward_data_of_phases_by_clusters
#include "convolution/tensor_maps/tensor_maps.hpp"
#include <numeric>

namespace ck::test::stream_k_tail {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

/// Runs an argument that ends so, in a workspace of NaN that is as large as it must be.
template <class Operation>
void run_by(const typename Operation::Argument& argument, index_t rows, index_t partial_sums)
{
    auto plan              = Operation::plan(argument);
    plan.tail              = tail_of(plan, rows, partial_sums);
    const std::size_t size = Operation::workspace_size(plan);
    ASSERT_GT(size, 0u);
    const PlacedMemory workspace(size);
    workspace.fill(0xFF);
    LaunchList list;
    Operation::add(list, plan, workspace.GetDeviceBuffer());
    list.run(StreamConfig{});
}

/// With few and with all rows of tiles in partial sums; more partial sums than some sums have
/// slices.
template <class Operation>
void run_by_plans(const typename Operation::Argument& argument)
{
    const index_t rows = Operation::plan(argument).params.tiles.row_tiles.value;
    static int number  = 0;
    run_by<Operation>(argument, 1 + number % rows, 2 + number % 4);
    number = (number + 1) % 12;
}

template <class Direction, class T, GemmTuning tuning>
Support expect_right_by_plans(const ConvProblem& p)
{
    using Operation = MapOperation<Direction, T, tuning>;
    return expect_right_run_by<Operation>(
        p, [](const typename Operation::Argument& a) { run_by_plans<Operation>(a); });
}

constexpr GemmTuning deferred = [] { // three passes of a whole tile wait while a part is multiplied
    GemmTuning t = map_tuning(wgmma_f32_16x8x16_f16, 256, 96, 3);
    t.wave_m     = 32;
    return t;
}();

TEST(StreamKTail, forward)
{
    for_problems({std::mt19937(5)}, 5, [](const ConvProblem& p) {
        return expect_right_by_plans<ForwardDirection, half_t, deferred>(p);
    });
}

constexpr GemmTuning clusters = [] {
    GemmTuning t   = map_tuning(wgmma_f32_16x8x16_bf16, 64, 128, 3);
    t.maps.cluster = 2;
    return t;
}();

TEST(StreamKTail, backward_data_of_phases_by_clusters)
{
    for_problems({std::mt19937(6)}, 5, [](const ConvProblem& p) {
        return expect_right_by_plans<BackwardDataDirection, bhalf_t, clusters>(p);
    });
}

constexpr GemmTuning keeps_filters = [] {
    GemmTuning t            = map_tuning(wgmma_f32_16x8x16_f16, 64, 64, 3);
    t.maps.resident_filters = 3;
    return t;
}();

TEST(StreamKTail, of_resident_filters)
{
    for_problems({.random = std::mt19937(7), .most_taps = 1}, 5, [](const ConvProblem& p) {
        return expect_right_by_plans<BackwardDataDirection, half_t, keeps_filters>(p);
    });
}

constexpr GemmTuning clusters_of_f16 = [] {
    GemmTuning t   = map_tuning(wgmma_f32_16x8x16_f16, 64, 64, 3);
    t.maps.cluster = 2;
    return t;
}();

/// f(offset in Y, offset in a packed tensor of Y's lengths) of each element.
template <class F>
void for_each_output(const ConvProblem& p, const F& f)
{
    ConvProblem packed = p;
    set_packed_strides(packed);
    const TensorLengths lengths = p.output_lengths(); // g n k d h w
    TensorLengths at{};
    const auto offset = [&](const TensorStrides& strides) {
        return std::inner_product(at.begin(), at.end(), strides.begin(), long_index_t{0});
    };
    for(long_index_t i = 0; i < element_count(lengths); ++i)
    {
        long_index_t rest = i;
        for(std::size_t dim = 6; dim-- > 0; rest /= lengths[dim])
            at[dim] = rest % lengths[dim];
        f(offset(p.output_strides), offset(packed.output_strides));
    }
}

/// Y + D, D of other strides than Y: the sum of partial sums reads D where the tile would have.
template <GemmTuning tuning>
Support expect_right_with_a_tensor(const ConvProblem& p)
{
    using Add   = tensor_operation::element_wise::Add;
    using Types = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, Add, Tuple<half_t>>;
    using Operation = ConvOperation<ForwardDirection, Types, tuning>;
    const OnDevice<half_t> x(p.input_lengths(), p.input_strides, 1, false),
        w(p.filter_lengths(), p.filter_strides, 2, false);
    OnDevice<half_t> y(p.output_lengths(), p.output_strides, 3, true),
        expected(p.output_lengths(), p.output_strides, 3, true);
    ConvProblem packed = p;
    set_packed_strides(packed);
    const OnDevice<half_t> d(p.output_lengths(), packed.output_strides, 4, false);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a       = x.pointer();
    argument.b       = w.pointer();
    argument.c       = y.pointer();
    argument.d[0]    = {d.pointer(), packed.output_strides};
    if(const Support s = Operation::supports(argument); !s)
        return s;
    run_by_plans<Operation>(argument);
    ref::naive_conv_fwd(p, x.pointer(), w.pointer(), expected.pointer());
    expected.fetch();
    for_each_output(p, [&](long_index_t of_y, long_index_t of_d) {
        half_t& e = expected.host[static_cast<std::size_t>(of_y)];
        e         = type_convert<half_t>(type_convert<float>(e) +
                                 type_convert<float>(d.host[static_cast<std::size_t>(of_d)]));
    });
    expected.memory.ToDevice(expected.host.data());
    EXPECT_EQ(mistakes(y, expected), 0u);
    return {};
}

TEST(StreamKTail, forward_with_an_operation_and_a_tensor)
{
    for_problems({std::mt19937(7)}, 4, [](const ConvProblem& p) {
        return expect_right_with_a_tensor<clusters_of_f16>(p);
    });
}

} // namespace
} // namespace ck::test::stream_k_tail
