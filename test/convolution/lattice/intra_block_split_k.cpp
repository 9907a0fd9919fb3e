// 1x1 convolutions of few pixels, whose waves share the reduction
// (conv/kernels/intra_block_split_k/kernel.hpp).
#include "tables/intra_block_split_k.hpp"

#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "devices.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

/// Images of `pixels`, a reduction over `depth` channels, and a result of `columns` channels.
ConvProblem product(long_index_t images,
                    long_index_t depth,
                    long_index_t columns,
                    std::array<long_index_t, 2> pixels = {1, 1},
                    long_index_t groups                = 1)
{
    return one_tap_problem(groups, images, depth, columns, pixels);
}

/// Sums of less than a unit, of a block's waves and of several times as many; tiles that are not
/// full; images of several pixels. vector: that the channels of both sides are multiples of.
template <class T, GemmTuning tuning>
void check_products()
{
    constexpr index_t vector = math::max(tuning.a_vector, tuning.b_vector), k = tuning.block_tile.k;
    const InstanceOf<T, tuning> instance("sliced k");
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,
                    instance.refusal(product(20, vector, vector)));
    for(const long_index_t depth : {vector, 3 * vector, k, k + vector, 2 * k + 5 * vector})
        expect_right(instance, product(20, depth, 3 * tuning.block_tile.n / 2));
    for(const long_index_t columns : {vector, 2 * tuning.block_tile.n + vector})
        expect_right(instance, product(33, 5 * vector, columns));
    expect_right(instance, product(3, 4 * vector, 4 * vector, {3, 2}));
    expect_right(instance, product(1, 4 * vector, 4 * vector));
    expect_right(instance, product(0, vector, vector)); // nothing
}

constexpr Vectors of(index_t a, index_t b) { return {a, b, 1}; }

#if !defined(CK_LANGUAGE_CUDA)
TEST(IntraBlockSplitK, MfmaWidestVectors)
{
    constexpr index_t b = tested_direction == Direction::forward ? 8 : 4;
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mfma_f32_16x16x16_f16, {16, 64, 256}, 16, 64, 4, of(8, b));
    check_products<half_t, tuning>();
}
TEST(IntraBlockSplitK, MfmaTwoElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mfma_f32_16x16x16_bf16_1k, {32, 64, 64}, 16, 32, 2, {2, 2, 2});
    check_products<bhalf_t, tuning>();
}
TEST(IntraBlockSplitK, MfmaOfGfx950)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mfma_f32_16x16x32_f16, {16, 16, 256}, 16, 16, 8, of(1, 1));
    check_products<half_t, tuning>();
}
TEST(IntraBlockSplitK, WmmaOfGfx11)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(wmma_gfx11_f32_16x16x16_f16, {16, 32, 64}, 16, 32, 4, of(2, 2));
    check_products<half_t, tuning>();
}
TEST(IntraBlockSplitK, WmmaOfGfx12)
{
    constexpr GemmTuning tuning = tables::intra_block_split_k(
        wmma_gfx12_f32_16x16x16_bf16, {32, 64, 32}, 16, 64, 2, of(4, 4));
    check_products<bhalf_t, tuning>();
}
#endif

#if !defined(CK_LANGUAGE_HIP)
TEST(IntraBlockSplitK, WidestVectors)
{
    constexpr index_t b = tested_direction == Direction::forward ? 8 : 4;
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_bf16, {16, 32, 256}, 16, 32, 4, of(8, b));
    check_products<bhalf_t, tuning>();
}
TEST(IntraBlockSplitK, FourElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {32, 64, 32}, 16, 32, 1, {4, 4, 4});
    check_products<half_t, tuning>();
}
TEST(IntraBlockSplitK, TwoElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_bf16, {16, 32, 64}, 16, 16, 2, {2, 2, 2});
    check_products<bhalf_t, tuning>();
}
TEST(IntraBlockSplitK, SingleElements)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {16, 16, 64}, 16, 16, 4, of(1, 1));
    check_products<half_t, tuning>();
    // channels that are not contiguous: an image, channels first
    ConvProblem apart      = product(1, 7, 9, {3, 5});
    apart.input_strides[2] = apart.output_strides[2] = 15;
    apart.input_strides[4] = apart.output_strides[4] = 5;
    apart.input_strides[5] = apart.output_strides[5] = 1;
    apart.filter_strides[1]                          = 1; // k
    apart.filter_strides[2]                          = apart.out_channels;
    expect_right(InstanceOf<half_t, tuning>("sliced k"), apart);
}

/// Channels first is, of one pixel, the same memory as channels last.
TEST(IntraBlockSplitK, OnePixelChannelsFirst)
{
    constexpr GemmTuning tuning =
        tables::intra_block_split_k(mma_f32_16x8x16_f16, {16, 32, 32}, 16, 32, 1, of(4, 4));
    ConvProblem p    = product(20, 28, 36);
    p.input_strides  = {p.in_channels * p.batch, p.in_channels, 1, 1, 1, 1};
    p.output_strides = {p.out_channels * p.batch, p.out_channels, 1, 1, 1, 1};
    p.filter_strides = {p.out_channels * p.in_channels, p.in_channels, 1, 1, 1, 1};
    expect_right(InstanceOf<half_t, tuning>("sliced k"), p);
}

/// Cycles of a product by `waves` waves of one block, that share a sum or have one each.
template <index_t waves, bool shared>
double predicted(const ConvProblem& problem)
{
    using namespace tensor_operation::device;
    using Direction = std::conditional_t<tested_direction == ck::Direction::forward,
                                         ForwardDirection,
                                         BackwardDataDirection>;
    using Types     = ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough>;
    using Kernel =
        ConvOperation<Direction,
                      Types,
                      tables::intra_block_split_k(mma_f32_16x8x16_f16,
                                                  {16, shared ? 32 : 32 * waves, 64 * waves},
                                                  16,
                                                  32,
                                                  shared ? waves : 1,
                                                  of(4, 4))>;
    typename Kernel::Argument argument{};
    argument.problem = problem;
    return Kernel::predict(argument);
}
TEST(IntraBlockSplitK, LongSumsPromiseToBeFasterShared)
{
    const ConvProblem problem = product(128, 672, 28);
    const double together = predicted<8, true>(problem), alone = predicted<8, false>(problem);
    EXPECT_LT(together, .7 * alone);
    EXPECT_GT(together, 2e3);
}

constexpr GemmTuning four_elements =
    tables::intra_block_split_k(mma_f32_16x8x16_f16, {16, 32, 32}, 16, 32, 1, of(4, 4));
TEST(IntraBlockSplitK, IsRefusedElsewhere)
{
    const InstanceOf<half_t, four_elements> instance("sliced k");
    expect_refusal(
        instance,
        make_packed_problem<2>(1, 2, 8, 8, {1, 3}, {8, 8}, {1, 1}, {1, 1}, {0, 1}, {0, 1}),
        "along W the filter has 3 taps");
    expect_refusal(instance,
                   product(2, 8, 8, {1, 1}, 3),
                   "G is 3, but this kernel's matrices are of one group");
    ConvProblem gaps = product(2, 8, 8, {4, 4});
    gaps.input_strides[4] += 8; // between rows
    gaps.input_strides[1] += 4 * 8;
    expect_refusal(instance, gaps, "this kernel is for pixels that are evenly spaced in");
    expect_refusal(instance, product(2, 10, 8), "not a multiple of 4");
}

#endif

} // namespace
} // namespace ck::test
