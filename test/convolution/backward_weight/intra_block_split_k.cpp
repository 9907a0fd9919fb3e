// Backward weight of 1x1 whose waves share the reduction
// (conv/kernels/intra_block_split_k/kernel.hpp).
#include "tables/intra_block_split_k.hpp"

#include "ck/host_utility/device_prop.hpp"

#include "convolution/backward_weight/weight.hpp"
#include "devices.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

ConvParam product(long_index_t images,
                  long_index_t k,
                  long_index_t c,
                  std::vector<long_index_t> pixels = {1, 1},
                  long_index_t groups              = 1)
{
    using Lengths = std::vector<long_index_t>;
    return ConvParam(2,
                     groups,
                     images,
                     k,
                     c,
                     Lengths{1, 1},
                     std::move(pixels),
                     Lengths{1, 1},
                     Lengths{1, 1},
                     Lengths{0, 0},
                     Lengths{0, 0});
}

/// Sums of less than a unit, and of several times what a block has; tiles that are not full.
template <class T, class Weight, GemmTuning tuning>
void check_products()
{
    using C             = Case<2, T, Weight, tuning>;
    constexpr index_t a = tuning.a_vector, b = tuning.b_vector, m = tuning.block_tile.m,
                      n = tuning.block_tile.n, k = tuning.block_tile.k;
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement, why_refused<C>(product(1, a, b)));
    for(const long_index_t images : {1, 13, k, 2 * k + 5})
        check_by_parts<C>(product(images, m + a, n + b));
    check_by_parts<C>(product(2, a, 3 * b, {9, 7}));
    check_by_parts<C>(product(3, 2 * m, b, {2, 3}));
    check_by_parts<C>(product(5, a, b, {2, 2}, 2)); // two groups as one
}

/// Channels first: images that end within a wave's unit and within what a block multiplies; any
/// number of channels.
template <class T, class Weight, GemmTuning tuning>
void check_channels_first()
{
    using C             = Case<2, T, Weight, tuning, true>;
    constexpr index_t v = tuning.channels_first.vector, m = tuning.block_tile.m,
                      n = tuning.block_tile.n, k = tuning.block_tile.k;
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,
                    why_refused<C>(product(1, 3, 5, {v, 1}), taps_last));
    for(const long_index_t vectors : {1, 3, 7, k / v, k / v + 1})
        check_by_parts<C>(product(3, m + 1, n + 3, {vectors, v}), taps_last);
    check_by_parts<C>(product(2 * k / v + 5, 1, n, {1, v}), taps_last);
    check_by_parts<C>(product(1, m - 1, 2 * n, {v, k}), pixels_last);
}

#if !defined(CK_LANGUAGE_CUDA)
TEST(IntraBlockSplitKWeight, MfmaPlanes)
{
    check_channels_first<half_t,
                         half_t,
                         tables::make_channels_first(
                             mfma_f32_16x16x16_f16, {16, 32, 256}, 16, 32, 4, 8, 1)>();
}
TEST(IntraBlockSplitKWeight, WmmaPlanes)
{
    check_channels_first<bhalf_t,
                         float,
                         tables::make_channels_first(
                             wmma_gfx12_f32_16x16x16_bf16, {32, 16, 64}, 32, 16, 2, 4, 1)>();
}
TEST(IntraBlockSplitKWeight, MfmaFourElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mfma_f32_16x16x16_f16, {64, 64, 64}, 64, 64, 2, {4, 4, 4});
    check_products<half_t, half_t, tuning>();
}
TEST(IntraBlockSplitKWeight, MfmaTwoElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mfma_f32_16x16x16_bf16_1k, {32, 32, 64}, 32, 32, 4, {2, 2, 2});
    check_products<bhalf_t, float, tuning>();
}
TEST(IntraBlockSplitKWeight, MfmaOfGfx950)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mfma_f32_16x16x32_f16, {32, 16, 128}, 16, 16, 2, {1, 1, 1});
    check_products<half_t, half_t, tuning>();
}
TEST(IntraBlockSplitKWeight, WmmaOfGfx11)
{
    constexpr GemmTuning tuning = tables::intra_block_split_k(
        wmma_gfx11_f32_16x16x16_f16, {32, 32, 64}, 32, 32, 4, {2, 2, 2});
    check_products<half_t, half_t, tuning>();
}
TEST(IntraBlockSplitKWeight, WmmaOfGfx12)
{
    constexpr GemmTuning tuning = tables::intra_block_split_k(
        wmma_gfx12_f32_16x16x16_bf16, {16, 16, 64}, 16, 16, 4, {1, 1, 1});
    check_products<bhalf_t, bhalf_t, tuning>();
}
#endif

#if !defined(CK_LANGUAGE_HIP)
TEST(IntraBlockSplitKWeight, Planes)
{
    check_channels_first<half_t,
                         half_t,
                         tables::make_channels_first(
                             mma_f32_16x8x16_f16, {32, 48, 128}, 32, 48, 4, 8, 1)>();
}
TEST(IntraBlockSplitKWeight, PlanesOfFewPixels)
{
    check_channels_first<bhalf_t,
                         float,
                         tables::make_channels_first(
                             mma_f32_16x8x16_bf16, {16, 32, 32}, 16, 16, 2, 4, 1)>();
}
TEST(IntraBlockSplitKWeight, PlanesAreRefusedElsewhere)
{
    constexpr GemmTuning tuning =
        tables::make_channels_first(mma_f32_16x8x16_f16, {16, 16, 64}, 16, 16, 2, 8, 1);
    using C = Case<2, half_t, half_t, tuning, true>;
    EXPECT_NE(why_refused<C>(product(2, 8, 8, {8, 8})) // channels last
                  .find("this kernel is for channels whose pixels follow each other in"),
              std::string::npos);
    EXPECT_NE(why_refused<C>(product(2, 8, 8, {7, 7}), taps_last).find("not a multiple of 8"),
              std::string::npos);
    EXPECT_NE(why_refused<C>(product(2, 8, 8, {8, 8}, 2), taps_last)
                  .find("G is 2, but this kernel's matrices are of one group"),
              std::string::npos);
}
TEST(IntraBlockSplitKWeight, FourElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_bf16, {32, 32, 64}, 32, 32, 4, {4, 4, 4});
    check_products<bhalf_t, bhalf_t, tuning>();
}
TEST(IntraBlockSplitKWeight, TwoElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {48, 48, 32}, 48, 48, 2, {2, 2, 2});
    check_products<half_t, float, tuning>();
}
TEST(IntraBlockSplitKWeight, SingleOutputs)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {16, 64, 64}, 16, 64, 2, {1, 8, 1});
    check_products<half_t, half_t, tuning>();
}
TEST(IntraBlockSplitKWeight, SingleElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {32, 16, 64}, 16, 16, 2, {1, 1, 1});
    check_products<half_t, half_t, tuning>();
}

/// Clock cycles of 128 images on 132 compute units.
template <GemmTuning tuning>
double predicted(long_index_t c, long_index_t k, long_index_t size)
{
    using namespace tensor_operation::device;
    using Types     = ConvTypes<bhalf_t, bhalf_t, bhalf_t, PassThrough, PassThrough, PassThrough>;
    using Operation = BackwardWeightOperation<Types, tuning>;
    const AssumedComputeUnits h200(132);
    typename Operation::Argument argument{};
    argument.problem =
        make_packed_problem<2>(1, 128, k, c, {1, 1}, {size, size}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    argument.split_k = -1;
    Operation::make_plan(argument);
    return Operation::predict(argument);
}
/// What an H200 took, in microseconds of 1750 cycles: C to K channels, pixels of a row and a
/// column.
TEST(IntraBlockSplitKWeight, PredictedTimesAreThoseMeasured)
{
    constexpr auto& rows =
        tables::intra_block_split_k_rows<ck::Direction::backward_weight, mma_f32_16x8x16_bf16>;
    constexpr GemmTuning all_of_16 = rows[2], all_of_32 = rows[4], all_of_48 = rows[6];
    const auto expect = [](double cycles, double us) { EXPECT_NEAR(cycles / 1750 / us, 1, .15); };
    expect(predicted<all_of_16>(16, 16, 112), 28.5);
    expect(predicted<all_of_16>(16, 96, 112), 120.0);
    expect(predicted<all_of_16>(240, 80, 14), 29.5);
    expect(predicted<all_of_32>(16, 16, 112), 32.3);
    expect(predicted<all_of_32>(64, 24, 56), 24.3);
    expect(predicted<all_of_32>(144, 24, 56), 45.0);
    expect(predicted<all_of_48>(40, 40, 56), 24.4);
    expect(predicted<all_of_48>(16, 64, 112), 136.6);
    expect(predicted<all_of_48>(144, 40, 28), 20.4);
}

TEST(IntraBlockSplitKWeight, IsRefusedElsewhere)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {32, 32, 64}, 32, 32, 4, {4, 4, 4});
    using C = Case<2, half_t, half_t, tuning>;
    EXPECT_NE(why_refused<C>(product(5, 32, 32, {1, 1}, 2))
                  .find("G is 2, but this kernel's matrices are of one group"),
              std::string::npos);
    EXPECT_NE(why_refused<C>(product(5, 10, 8)).find("not a multiple of 4"), std::string::npos);
    EXPECT_NE(
        why_refused<C>(ConvParam(2, 1, 2, 8, 8, {3, 1}, {5, 5}, {1, 1}, {1, 1}, {1, 0}, {1, 0}))
            .find("along H the filter has 3 taps"),
        std::string::npos);
}

#endif

} // namespace
} // namespace ck::test
