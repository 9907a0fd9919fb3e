// Backward weight of images of few channels (conv/kernels/first_layer/weight_kernel.hpp).
//
// Cases not sanitized: FirstLayerWeight.ThreeDimensions FirstLayerWeight.SevenTaps
// Cases not sanitized: FirstLayerWeight.EightChannels
#include "ck/host_utility/device_prop.hpp"

#include "convolution/backward_weight/weight.hpp"
#include "devices.hpp"
#include "tables/first_layer.hpp"

namespace ck::test::first_layers {
namespace {

using enum arch::Matrix;
using Lengths = std::vector<long_index_t>;

#if !defined(CK_LANGUAGE_HIP)
struct Windows
{
    Lengths filter, stride, dilation, pad_low, pad_high;
};

ConvParam problem(long_index_t images,
                  long_index_t k,
                  long_index_t c,
                  const Lengths& input,
                  const Windows& w,
                  long_index_t groups = 1)
{
    return ConvParam(static_cast<index_t>(input.size()),
                     groups,
                     images,
                     k,
                     c,
                     w.filter,
                     input,
                     w.stride,
                     w.dilation,
                     w.pad_low,
                     w.pad_high);
}

const Windows seven{{7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 3}},
    strided{{3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}}, uneven{{2, 5}, {1, 4}, {2, 1}, {2, 0}, {0, 3}},
    three{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, dilated{{3, 4}, {2, 3}, {1, 2}, {0, 2}, {3, 1}};

#define CK_SKIP_WITHOUT_INSTRUCTION(tuning, C)                                                     \
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,                                            \
                    why_refused<C>(problem(1, 8, 1, {4, 4}, strided)))

TEST(FirstLayerWeight, SevenTaps)
{
    constexpr GemmTuning tuning =
        tables::first_layer_weight(mma_f32_16x8x16_f16, {64, 224, 128}, 56, 1, 4, 800, 1, 2);
    using C = Case<2, half_t, half_t, tuning>;
    CK_SKIP_WITHOUT_INSTRUCTION(tuning, C);
    check_by_parts<C>(problem(2, 64, 3, {40, 37}, seven)); // tiles that are not full
    check_by_parts<C>(problem(1, 72, 4, {32, 66}, seven));
    check_by_parts<C>(problem(3, 8, 1, {9, 30}, strided));
    check_by_parts<C>(problem(2, 40, 2, {9, 70}, uneven));
}

/// Waves that share pixels, and columns of channels and of packs.
TEST(FirstLayerWeight, Slices)
{
    constexpr GemmTuning tuning =
        tables::first_layer_weight(mma_f32_16x8x16_bf16, {32, 32, 128}, 16, 4, 4, 2100, 1, 1);
    using C = Case<2, bhalf_t, float, tuning>;
    CK_SKIP_WITHOUT_INSTRUCTION(tuning, C);
    for(const long_index_t c : {1, 2, 3, 4})
        check_by_parts<C>(problem(2, 40, c, {33, 20}, strided));
    check_by_parts<C>(problem(2, 16, 3, {20, 21}, {{4, 4}, {4, 4}, {1, 1}, {1, 1}, {2, 2}}));
    check_by_parts<C>(problem(0, 16, 3, {20, 21}, strided));
    check_by_parts<C>(problem(2, 8, 2, {20, 21}, strided, 2)); // two groups as one
}

TEST(FirstLayerWeight, EightChannels)
{
    constexpr GemmTuning tuning =
        tables::first_layer_weight(mma_f32_16x8x16_f16, {64, 72, 64}, 24, 2, 8, 600, 1, 1);
    using C = Case<2, half_t, float, tuning>;
    CK_SKIP_WITHOUT_INSTRUCTION(tuning, C);
    for(const long_index_t c : {3, 5, 8})
        for(const Windows& w : {three, dilated})
            check_by_parts<C>(problem(2, 64, c, {9, 35}, w));
}

TEST(FirstLayerWeight, PixelsInVectors)
{
    constexpr GemmTuning four = tables::first_layer_weight(
                             mma_f32_16x8x16_bf16, {64, 64, 128}, 32, 2, 4, 700, 4, 1),
                         eight = tables::first_layer_weight(
                             mma_f32_16x8x16_bf16, {32, 40, 128}, 40, 1, 8, 700, 8, 1);
    using Four  = Case<2, bhalf_t, bhalf_t, four>;
    using Eight = Case<2, bhalf_t, bhalf_t, eight>;
    CK_SKIP_WITHOUT(instruction_of(four).requirement,
                    why_refused<Four>(problem(1, 8, 4, {4, 4}, strided)));
    check_by_parts<Four>(problem(2, 64, 4, {30, 31}, strided));
    check_by_parts<Eight>(problem(2, 32, 8, {30, 31}, three));
    check_by_parts<Eight>(problem(2, 32, 8, {30, 31}, strided));
}

TEST(FirstLayerWeight, ThreeDimensions)
{
    constexpr GemmTuning four =
        tables::first_layer_weight(mma_f32_16x8x16_f16, {64, 224, 64}, 56, 1, 4, 1500, 1, 1);
    constexpr GemmTuning eight =
        tables::first_layer_weight(mma_f32_16x8x16_f16, {64, 224, 64}, 56, 1, 8, 700, 1, 1);
    using Four  = Case<3, half_t, half_t, four>;
    using Eight = Case<3, half_t, half_t, eight>;
    CK_SKIP_WITHOUT(
        instruction_of(four).requirement,
        why_refused<Four>(
            problem(1, 8, 1, {4, 4, 4}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}})));
    check_by_parts<Four>(
        problem(2, 64, 3, {4, 20, 21}, {{3, 7, 7}, {1, 2, 2}, {1, 1, 1}, {1, 3, 3}, {1, 3, 3}}));
    check_by_parts<Eight>(
        problem(1, 64, 3, {4, 10, 21}, {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}));
    check_by_parts<Eight>(
        problem(2, 24, 5, {7, 9, 10}, {{2, 3, 3}, {2, 1, 1}, {3, 2, 1}, {2, 1, 0}, {1, 2, 2}}));
}

/// Clock cycles on 132 compute units, of 64 images of 224x224.
template <GemmTuning tuning>
double predicted(long_index_t c, long_index_t k, long_index_t taps, index_t split_k = -1)
{
    using namespace tensor_operation::device;
    using Types     = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough>;
    using Operation = BackwardWeightOperation<Types, tuning>;
    const AssumedComputeUnits h200(132);
    typename Operation::Argument argument{};
    argument.problem = make_packed_problem<2>(1,
                                              64,
                                              k,
                                              c,
                                              {taps, taps},
                                              {224, 224},
                                              {2, 2},
                                              {1, 1},
                                              {taps / 2, taps / 2},
                                              {taps / 2, taps / 2});
    argument.split_k = split_k;
    Operation::make_plan(argument);
    return Operation::predict(argument);
}
TEST(FirstLayerWeight, PromisesToBeFasterBySplitSumsAndFullTiles)
{
    constexpr GemmTuning wide = tables::first_layer_weight(
                             mma_f32_16x8x16_f16, {64, 224, 128}, 56, 1, 4, 900, 1, 3),
                         thin = tables::first_layer_weight(
                             mma_f32_16x8x16_f16, {32, 64, 256}, 32, 4, 4, 1200, 1, 2);
    EXPECT_LT(predicted<wide>(4, 64, 7), 250000);
    EXPECT_LT(50 * predicted<wide>(4, 64, 7), predicted<wide>(4, 64, 7, 1));
    EXPECT_LT(predicted<thin>(3, 32, 3), .6 * predicted<wide>(3, 32, 3));
    EXPECT_LT(predicted<thin>(3, 32, 3), .6 * predicted<thin>(3, 64, 3));
}

/// A type, since nvcc would have a lambda capture a tuning.
using EvenStrides =
    Case<2,
         half_t,
         half_t,
         tables::first_layer_weight(mma_f32_16x8x16_f16, {64, 64, 128}, 32, 2, 4, 600, 1, 1)>;
TEST(FirstLayerWeight, IsRefusedElsewhere)
{
    const auto expect = [](const ConvParam& p, const char* reason) {
        EXPECT_NE(why_refused<EvenStrides>(p).find(reason), std::string::npos)
            << why_refused<EvenStrides>(p);
    };
    expect(problem(2, 16, 3, {8, 9}, strided, 3), "a group has 9 channels of X");
    expect(problem(2, 16, 5, {8, 9}, strided),
           "a group has 5 channels of X, but this kernel is for at most 4");
    expect(problem(2, 12, 3, {8, 9}, strided), "not a multiple of 8");
    expect(problem(2, 16, 3, {8, 9}, three),
           "along W the stride is 1 and the dilation 1, but this kernel is for multiples of 2");
    expect(problem(2, 16, 3, {99, 99}, seven), "the windows of a tile have more than 600 pixels");
}
#endif

} // namespace
} // namespace ck::test::first_layers
