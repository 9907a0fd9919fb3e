// The library's tables for few channels, each row with problems for which it is made: all rows of
// two engines, and the first rows of the others, which differ only in the instruction.
//
// Labels: not sanitized, not emulated
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "devices.hpp"
#include "tables/dl.hpp"
#include "tables/mma.hpp"
#include "tables/wmma.hpp"
#include "tables/xdl.hpp"

namespace ck::test {
namespace {

using namespace tables;
constexpr Direction direction = tested_direction;

/// The problems of row `row` of tables::few_channels().
std::vector<ConvProblem> problems_of_few_channels(index_t row)
{
    // channels of A, which the reduction is over, and of C
    const auto of = [&](long_index_t groups, long_index_t from, long_index_t to) {
        return direction == Direction::forward ? small_groups(groups, to, from)
                                               : small_groups(groups, from, to);
    };
    switch(row)
    {
    case 0:
        return {of(48, 1, 1), of(8, 2, 1), of(8, 1, 2)}; // depthwise
    case 1:
    case xdl_few_channels<direction, xdl_f16>.size() - 1:
        return {of(16, 4, 4), of(4, 16, 16), of(3, 8, 24)};
    case 2:
        return {of(1, 3, 16), of(1, 1, 72)}; // a first layer
    case 3:
        return {of(1, 4, 16), of(2, 4, 8)};
    case 4:
        return {of(10, 1, 1), of(54, 1, 1), of(2, 5, 3)}; // even
    default:
        return {of(3, 3, 5), of(7, 1, 1), of(1, 3, 3)};
    }
}

/// direct: a kernel only for depthwise convolutions.
void check_depthwise_refusals(const Instance& direct)
{
    expect_refusal(direct, small_groups(8, 2, 1), "a group has 1 channels of X and 2 of Y");
    expect_refusal(direct, small_groups(8, 1, 3), "a group has 3 channels of X and 1 of Y");
    expect_refusal(
        direct,
        make_packed_problem<2>(8, 1, 1, 1, {13, 5}, {16, 16}, {1, 1}, {1, 1}, {0, 0}, {0, 0}),
        "the filter has 65 taps, but this kernel holds at most 64");
    expect_right(direct,
                 make_packed_problem<3>(
                     8, 2, 1, 1, {2, 3, 3}, {4, 7, 6}, {2, 1, 3}, {1, 2, 1}, {1, 2, 0}, {0, 1, 1}));
    expect_right(direct, make_packed_problem<1>(16, 2, 1, 1, {31}, {50}, {1}, {1}, {15}, {15}));
}

template <GemmTuning tuning>
void check(const std::vector<ConvProblem>& problems)
{
    const InstanceOf<half_t, tuning> instance("few channels");
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement, instance.refusal(problems[0]));
    for(const ConvProblem& p : problems)
        expect_right(instance, p);
}
/// table: of an engine's tables::few_channels().
template <const auto& table, index_t row>
void check_few_channels()
{
    check<table[row]>(problems_of_few_channels(row));
}
/// A row of dl_groups, with groups of one channel.
template <index_t row>
void check_depthwise(const std::vector<long_index_t>& groups)
{
    std::vector<ConvProblem> problems;
    for(const long_index_t g : groups)
        problems.push_back(small_groups(g, 1, 1));
    check<dl_groups<direction, dl_f16>[row]>(problems);
}

TEST(FewChannels, XdlDepthwise) { check_few_channels<xdl_few_channels<direction, xdl_f16>, 0>(); }
TEST(FewChannels, XdlSmallGroups) { check_few_channels<xdl_few_channels<direction, xdl_f16>, 1>(); }
TEST(FewChannels, XdlManySmallGroups)
{
    constexpr auto& table = xdl_few_channels<direction, xdl_f16>;
    check_few_channels<table, table.size() - 1>();
}
TEST(FewChannels, XdlFirstLayer) { check_few_channels<xdl_few_channels<direction, xdl_f16>, 2>(); }
TEST(FewChannels, XdlFourChannels)
{
    check_few_channels<xdl_few_channels<direction, xdl_f16>, 3>();
}
TEST(FewChannels, XdlEvenDepthwise)
{
    check_few_channels<xdl_few_channels<direction, xdl_f16>, 4>();
}
TEST(FewChannels, XdlAny) { check_few_channels<xdl_few_channels<direction, xdl_f16>, 5>(); }

TEST(FewChannels, MmaDepthwise) { check_few_channels<mma_few_channels<direction, mma_f16>, 0>(); }
TEST(FewChannels, MmaSmallGroups) { check_few_channels<mma_few_channels<direction, mma_f16>, 1>(); }
TEST(FewChannels, MmaFirstLayer) { check_few_channels<mma_few_channels<direction, mma_f16>, 2>(); }
TEST(FewChannels, MmaFourChannels)
{
    check_few_channels<mma_few_channels<direction, mma_f16>, 3>();
}
TEST(FewChannels, MmaEvenDepthwise)
{
    check_few_channels<mma_few_channels<direction, mma_f16>, 4>();
}
TEST(FewChannels, MmaAny) { check_few_channels<mma_few_channels<direction, mma_f16>, 5>(); }

TEST(FewChannels, WmmaDepthwise)
{
    check_few_channels<wmma_few_channels<direction, wmma_gfx11_f16>, 0>();
}
TEST(FewChannels, WmmaOfGfx12Depthwise)
{
    check_few_channels<wmma_few_channels<direction, wmma_gfx12_f16>, 0>();
}
TEST(Depthwise, InVectors) { check_depthwise<0>({48, 64, 8, 136}); }
TEST(Depthwise, InPairs) { check_depthwise<1>({54, 2, 70}); }
TEST(Depthwise, OneByOne) { check_depthwise<2>({7, 1, 62}); }
TEST(Depthwise, OfFloats)
{
    constexpr GemmTuning tuning = dl_groups<direction, dl_f32>[0];
    expect_right(InstanceOf<float, tuning>("direct"), small_groups(60, 1, 1));
}
TEST(Depthwise, OfDoubles)
{
    constexpr GemmTuning tuning = dl_groups<direction, dl_f64>[0];
    expect_right(InstanceOf<double, tuning>("direct"), small_groups(60, 1, 1));
}
TEST(Depthwise, IsRefusedElsewhere)
{
    constexpr GemmTuning tuning = dl_groups<direction, dl_f16>[0];
    check_depthwise_refusals(InstanceOf<half_t, tuning>("direct"));
}

TEST(FewChannels, DlDepthwise) { check_few_channels<dl_few_channels<direction, dl_f16>, 0>(); }

} // namespace
} // namespace ck::test
