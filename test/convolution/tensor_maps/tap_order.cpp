// Sums that go through all taps of a slice of channels before the next slice, because the tiles in
// progress read more than the L2 cache holds.
//
// Labels: not on AMD
// Cases not sanitized: TapOrder.backward_data TapOrder.partial sums
#include "ck/host_utility/device_prop.hpp"

#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::tap_order {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

constexpr GemmTuning small = map_tuning(wgmma_f32_16x8x16_f16, 128, 64, 3);

/// Whether a launch of the operation goes through taps inside.
template <class Operation>
bool has_taps_inside(const typename Operation::Argument& argument)
{
    const AssumedComputeUnits one(1);
    auto plan = Operation::plan(argument);
    Operation::Launcher::complete(plan);
    return plan.params.taps_inside;
}

template <class Direction, GemmTuning tuning>
bool taps_are_inside(const ConvProblem& p)
{
    using Operation = MapOperation<Direction, half_t, tuning>;
    typename Operation::Argument a{};
    a.problem = p;
    return has_taps_inside<Operation>(a);
}

template <class Direction, GemmTuning tuning>
Support expect_right_with_taps_inside(const ConvProblem& p)
{
    using Operation = MapOperation<Direction, half_t, tuning>;
    return expect_right_run_by<Operation>(p, [](const typename Operation::Argument& a) {
        EXPECT_TRUE(has_taps_inside<Operation>(a));
        const AssumedComputeUnits one(1);
        Operation::run(a, StreamConfig{});
    });
}

ConvProblem strided(long_index_t channels, long_index_t pixels)
{
    ConvProblem p;
    p.rank         = 2;
    p.batch        = 2;
    p.in_channels  = channels;
    p.out_channels = 64;
    p.input        = {1, pixels, pixels};
    p.filter       = {1, 3, 3};
    p.stride       = {1, 2, 2};
    p.pad_low = p.pad_high = {0, 1, 1};
    set_packed_strides(p);
    return p;
}

TEST(TapOrder, forward)
{
    const ConvProblem p = strided(512, 17);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_with_taps_inside<ForwardDirection, small>(p).reason));
    EXPECT_EQ((expect_right_with_taps_inside<ForwardDirection, small>(p).reason), "");
}

TEST(TapOrder, backward_data)
{
    ConvProblem p  = strided(64, 7);
    p.out_channels = 1920;
    p.stride       = {1, 1, 1};
    set_packed_strides(p);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_with_taps_inside<BackwardDataDirection, small>(p).reason));
    EXPECT_EQ((expect_right_with_taps_inside<BackwardDataDirection, small>(p).reason), "");
}

/// Runs an argument with the last row of tiles in four partial sums, which begin within the taps of
/// a slice.
template <class Operation>
void run_in_partial_sums(const typename Operation::Argument& argument)
{
    EXPECT_TRUE(has_taps_inside<Operation>(argument));
    const AssumedComputeUnits one(1);
    auto plan = Operation::plan(argument);
    plan.tail = tail_of(plan, 1, 4);
    const PlacedMemory workspace(Operation::workspace_size(plan));
    workspace.fill(0xFF);
    LaunchList list;
    Operation::add(list, plan, workspace.GetDeviceBuffer());
    list.run(StreamConfig{});
}

template <class Direction, GemmTuning tuning>
std::string why_not_right_in_partial_sums(const ConvProblem& p)
{
    using Operation = MapOperation<Direction, half_t, tuning>;
    return expect_right_run_by<Operation>(p, run_in_partial_sums<Operation>).reason;
}

TEST(TapOrder, partial_sums)
{
    const auto run = [] {
        return why_not_right_in_partial_sums<ForwardDirection, small>(strided(512, 17));
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, run());
    EXPECT_EQ(run(), "");
}

/// Small tiles, one tap, and the last slice of half the channels keep their order.
TEST(TapOrder, taps_stay_outside)
{
    const auto has = [](const ConvProblem& p) {
        return taps_are_inside<ForwardDirection, small>(p);
    };
    EXPECT_FALSE(has(strided(128, 17)));
    EXPECT_FALSE(has(strided(480, 17)));
    ConvProblem pointwise = strided(4096, 17);
    pointwise.filter      = {1, 1, 1};
    pointwise.pad_low = pointwise.pad_high = {0, 0, 0};
    set_packed_strides(pointwise);
    EXPECT_FALSE(has(pointwise));
}

} // namespace
} // namespace ck::test::tap_order
