// Forward and backward data whose blocks keep their filters in LDS: few taps and channels.
//
// Labels: not on AMD, not sanitized
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::resident_filters {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

/// Two slices of 64 channels are kept; most of a tile waits in registers until the next one.
constexpr GemmTuning deferred = [] {
    GemmTuning t            = map_tuning(wgmma_f32_16x8x16_f16, 256, 96, 3);
    t.wave_m                = 32;
    t.maps.resident_filters = 2;
    return t;
}();
static_assert(defers_stores(deferred));

TEST(ResidentFilters, forward)
{
    for_problems({.random = std::mt19937(1), .most_taps = 1}, 6, [](const ConvProblem& p) {
        return expect_right<ForwardDirection, half_t, deferred>(p);
    });
}

constexpr GemmTuning three = [] {
    GemmTuning t            = map_tuning(wgmma_f32_16x8x16_bf16, 64, 64, 2);
    t.maps.resident_filters = 3;
    return t;
}();

/// With stride 2 only the first of the phases has a tap, the others' rows are filled with zeros.
TEST(ResidentFilters, backward_data)
{
    for_problems({.random = std::mt19937(2), .most_taps = 1}, 6, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection, bhalf_t, three>(p);
    });
}

/// There is room for 128 columns of a tile at a time.
constexpr GemmTuning wide = [] {
    GemmTuning t            = map_tuning(wgmma_f32_16x8x16_f16, 128, 256, 4);
    t.maps.resident_filters = 2;
    return t;
}();
template <class Direction>
using WideStore = typename MapOperation<Direction, half_t, wide>::Kernel::Store::Store;
static_assert(WideStore<ForwardDirection>::columns == 128);
static_assert(WideStore<BackwardDataDirection>::columns == 128);

TEST(ResidentFilters, forward_of_wide_rows)
{
    for_problems({.random = std::mt19937(5), .most_taps = 1}, 3, [](const ConvProblem& p) {
        return expect_right<ForwardDirection, half_t, wide>(p);
    });
}
TEST(ResidentFilters, backward_data_of_wide_rows)
{
    for_problems({.random = std::mt19937(6), .most_taps = 1}, 3, [](const ConvProblem& p) {
        return expect_right<BackwardDataDirection, half_t, wide>(p);
    });
}

constexpr GemmTuning narrow = [] {
    GemmTuning t            = map_tuning(wgmma_f32_16x8x16_f16, 64, 32, 2);
    t.maps.resident_filters = 1;
    return t;
}();

/// More tiles of columns than the device has compute units.
TEST(ResidentFilters, of_many_columns)
{
    const ConvProblem p = make_packed_problem<2>(
        1, 1, 32 * 300 + 8, 40, {1, 1}, {11, 13}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right<ForwardDirection, half_t, narrow>(p).reason));
    const Support s = expect_right<ForwardDirection, half_t, narrow>(p);
    EXPECT_TRUE(s) << s.reason;
}

/// Three taps of one slice or, with 64 channels and fewer than three taps, two slices.
TEST(ResidentFilters, of_taps)
{
    const auto problem =
        [](long_index_t k, long_index_t c, long_index_t taps, long_index_t stride) {
            return make_packed_problem<1>(
                1, 3, k, c, {taps}, {stride * 50 + 3}, {stride}, {2}, {taps - 1}, {1});
        };
    for(const long_index_t stride : {1, 2})
        for(const auto& [channels, taps] :
            {std::pair<long_index_t, long_index_t>{64, 3}, {40, 3}, {40, 2}, {72, 1}})
        {
            const ConvProblem p = problem(72, channels, taps, stride);
            CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                            (expect_right<ForwardDirection, bhalf_t, three>(p).reason));
            const Support s = expect_right<ForwardDirection, bhalf_t, three>(p);
            EXPECT_TRUE(s) << s.reason;
            // Dilation and stride have a common factor: one phase has all taps.
            const Support d = expect_right<BackwardDataDirection, bhalf_t, three>(
                problem(channels, 72, taps, stride));
            EXPECT_TRUE(d) << d.reason;
        }
}

TEST(ResidentFilters, are_of_few_slices_and_one_phase)
{
    const auto refusal = [](long_index_t channels, long_index_t taps) {
        return expect_right<ForwardDirection, half_t, deferred>(
                   make_packed_problem<1>(1, 1, 8, channels, {taps}, {30}, {1}, {1}, {0}, {0}))
            .reason;
    };
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, refusal(128, 1));
    EXPECT_EQ(refusal(128, 1), "");
    EXPECT_EQ(refusal(64, 2), "");
    EXPECT_NE(refusal(136, 1).find(
                  "3 slices of 64 channels at a tap, but this kernel's tensor maps bring at most"),
              std::string::npos);
    EXPECT_NE(refusal(8, 3).find("3 slices of 64"), std::string::npos);
    const std::string phases =
        expect_right<BackwardDataDirection, bhalf_t, three>(
            make_packed_problem<1>(1, 1, 8, 8, {2}, {30}, {2}, {1}, {0}, {0}))
            .reason;
    EXPECT_NE(phases.find("2 phases have filter taps"), std::string::npos) << phases;
}

} // namespace
} // namespace ck::test::resident_filters
