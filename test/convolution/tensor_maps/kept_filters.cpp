// Forward and backward data whose blocks keep their filters in LDS: one tap, few channels.
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

/// Two slices of 64 channels are kept; most of a tile waits in registers until the next one.
constexpr GemmTuning held = [] {
    GemmTuning t  = map_tuning(wgmma_f32_16x8x16_f16, 256, 96, 3);
    t.wave_m      = 32;
    t.kept_slices = 2;
    return t;
}();
static_assert(holds_tiles(held));

TEST(KeptFilters, forward)
{
    for_problems({.random = std::mt19937(1), .most_taps = 1}, 6, [](const ConvProblem& p) {
        return expect_right<ForwardDirection, half_t, held>(p);
    });
}

constexpr GemmTuning three = [] {
    GemmTuning t  = map_tuning(wgmma_f32_16x8x16_bf16, 64, 64, 2);
    t.kept_slices = 3;
    return t;
}();

/// With stride 2 only the first of the classes has a tap, the others' rows are filled with zeros.
TEST(KeptFilters, backward_data)
{
    for_problems({.random = std::mt19937(2), .most_taps = 1}, 6, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection, bhalf_t, three>(p);
    });
}

constexpr GemmTuning narrow = [] {
    GemmTuning t  = map_tuning(wgmma_f32_16x8x16_f16, 64, 32, 2);
    t.kept_slices = 1;
    return t;
}();

/// More tiles of columns than the device has compute units.
TEST(KeptFilters, of_many_columns)
{
    const ConvProblem p = make_packed_problem<2>(
        1, 1, 32 * 300 + 8, 40, {1, 1}, {11, 13}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right<ForwardDirection, half_t, narrow>(p).reason));
    const Support s = expect_right<ForwardDirection, half_t, narrow>(p);
    EXPECT_TRUE(s) << s.reason;
}

TEST(KeptFilters, are_of_one_tap_and_few_channels)
{
    const auto refusal = [](long_index_t channels, long_index_t taps) {
        return expect_right<ForwardDirection, half_t, held>(
                   make_packed_problem<1>(1, 1, 8, channels, {taps}, {30}, {1}, {1}, {0}, {0}))
            .reason;
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, refusal(128, 1));
    EXPECT_EQ(refusal(128, 1), "");
    EXPECT_NE(refusal(136, 1).find("136 channels at 1 filter taps"), std::string::npos);
    EXPECT_NE(refusal(64, 2).find("64 channels at 2 filter taps"), std::string::npos);
}

} // namespace
} // namespace ck::test
