// 1x1 convolutions of few channels, each a plane of pixels
// (conv/kernels/pointwise_channels_first/kernel.hpp).
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "devices.hpp"
#include "tables/pointwise.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

/// What the packed tensors of a problem are, slowest dimension first.
enum class Planes
{
    filters_last, ///< G N C (D H) W, filters G K (Y X) C
    groups_inside ///< N G C (D H) W, filters G K C (Y X)
};

/// one_tap_problem() with channels first.
ConvProblem planes_problem(long_index_t groups,
                           long_index_t images,
                           long_index_t depth,
                           long_index_t columns,
                           std::array<long_index_t, 2> input,
                           Planes order = Planes::groups_inside)
{
    ConvProblem p = one_tap_problem(groups, images, depth, columns, input);
    constexpr std::array<std::size_t, 6> group_first{0, 1, 2, 3, 4, 5},
        group_inside{1, 0, 2, 3, 4, 5}, k_c_first{0, 1, 2, 3, 4, 5}, c_last{0, 1, 3, 4, 5, 2};
    const bool inside = order == Planes::groups_inside;
    const auto& image = inside ? group_inside : group_first;
    p.input_strides   = ck::detail::packed_strides(p.input_lengths(), image);
    p.filter_strides  = ck::detail::packed_strides(p.filter_lengths(), inside ? k_c_first : c_last);
    p.output_strides  = ck::detail::packed_strides(p.output_lengths(), image);
    return p;
}

/// An image of this many vectors of pixels, in rows that are not whole vectors if possible.
std::array<long_index_t, 2> image_of(long_index_t vectors, index_t vector)
{
    return {vector, vectors};
}

template <class T, GemmTuning tuning>
void check_channels_first()
{
    constexpr index_t k = tuning.block_tile.k, n = tuning.block_tile.n,
                      vector = tuning.channels_first.vector, run = tuning.wave_m / vector;
    const InstanceOf<T, tuning> instance("pointwise planes");
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,
                    instance.refusal(planes_problem(1, 1, k, n, {vector, 1})));
    // channels that fill no instruction, and columns of several blocks
    for(const long_index_t depth : {k, k - 1, 1})
        for(const long_index_t columns : {n, n - 3, 2 * n + 5, 1})
            expect_right(instance, planes_problem(1, 2, depth, columns, image_of(11, vector)));
    // images that end in, at and after the end of a wave's pixels; several of them in one
    for(const long_index_t vectors : {1, 3, run - 1, run, run + 1, 4 * run, 4 * run + 1})
        for(const long_index_t images : {1, 5})
            expect_right(instance, planes_problem(1, images, k, n, image_of(vectors, vector)));
    // several rounds of blocks; groups; no images
    expect_right(instance, planes_problem(1, 7, k, n, image_of(143, vector)));
    expect_right(instance, planes_problem(3, 2, k, n, image_of(5, vector)));
    expect_right(instance, planes_problem(2, 3, k, n, image_of(5, vector), Planes::filters_last));
    expect_right(instance, planes_problem(1, 0, k, n, image_of(2, vector)));
}

#if !defined(CK_LANGUAGE_HIP)
TEST(PointwiseChannelsFirst, FewChannels)
{
    check_channels_first<half_t,
                         tables::pointwise_channels_first(mma_f32_16x8x16_f16, 16, 16, 8, 1)>();
}
TEST(PointwiseChannelsFirst, ManyColumns)
{
    check_channels_first<bhalf_t,
                         tables::pointwise_channels_first(mma_f32_16x8x16_bf16, 32, 64, 8, 1)>();
}
TEST(PointwiseChannelsFirst, ShortVectors)
{
    check_channels_first<half_t,
                         tables::pointwise_channels_first(mma_f32_16x8x16_f16, 48, 32, 4, 1)>();
}
TEST(PointwiseChannelsFirst, ShortestVectors)
{
    check_channels_first<half_t,
                         tables::pointwise_channels_first(mma_f32_16x8x16_f16, 16, 16, 2, 1)>();
}
#endif
#if !defined(CK_LANGUAGE_CUDA)
TEST(PointwiseChannelsFirst, Mfma)
{
    check_channels_first<half_t,
                         tables::pointwise_channels_first(mfma_f32_16x16x16_f16, 32, 32, 8, 1)>();
}
TEST(PointwiseChannelsFirst, MfmaOfBf16)
{
    check_channels_first<bhalf_t,
                         tables::pointwise_channels_first(
                             mfma_f32_16x16x16_bf16_1k, 16, 32, 4, 1)>();
}
#endif

#if defined(CK_LANGUAGE_HIP)
constexpr GemmTuning four_pixels =
    tables::pointwise_channels_first(mfma_f32_16x16x16_f16, 32, 32, 4, 1);
#else
constexpr GemmTuning four_pixels =
    tables::pointwise_channels_first(mma_f32_16x8x16_f16, 32, 32, 4, 1);
#endif

/// Planes and filters in other orders: images inside channels, K inside C.
TEST(PointwiseChannelsFirst, TakesAnyOrderOfPlanes)
{
    const InstanceOf<half_t, four_pixels> instance("pointwise planes");
    ConvProblem p = planes_problem(1, 3, 20, 24, {7, 4});
    CK_SKIP_WITHOUT(instruction_of(four_pixels).requirement, instance.refusal(p));
    constexpr std::array<std::size_t, 6> order{0, 2, 1, 3, 4, 5};
    p.input_strides  = ck::detail::packed_strides(p.input_lengths(), order);
    p.filter_strides = ck::detail::packed_strides(p.filter_lengths(), order);
    p.output_strides = ck::detail::packed_strides(p.output_lengths(), order);
    expect_right(instance, p);
}

TEST(PointwiseChannelsFirst, IsRefusedElsewhere)
{
    const InstanceOf<half_t, four_pixels> instance("pointwise planes");
    CK_SKIP_WITHOUT(instruction_of(four_pixels).requirement,
                    instance.refusal(planes_problem(1, 1, 32, 32, {4, 4})));
    expect_refusal(instance,
                   planes_problem(1, 1, 33, 8, {4, 4}),
                   "the sum is over 33 channels, but this kernel holds at most 32");
    expect_refusal(instance,
                   planes_problem(1, 1, 8, 8, {7, 7}),
                   "the number of pixels is 49, not a multiple of 4");
    expect_refusal(
        instance,
        make_packed_problem<2>(1, 1, 8, 8, {1, 1}, {8, 8}, {2, 1}, {1, 1}, {0, 0}, {0, 0}),
        "along H the filter has 1 taps, stride 2");
    expect_refusal(instance,
                   make_packed_problem<2>(
                       1, 1, 8, 8, {1, 1}, {8, 8}, {1, 1}, {1, 1}, {0, 0}, {0, 0}), // channels last
                   "this kernel is for channels whose pixels follow each other in ");
    ConvProblem gaps = planes_problem(1, 2, 8, 8, {4, 4});
    gaps.input_strides[2] += 2;
    gaps.input_strides[1] += 16;
    expect_refusal(instance, gaps, "X is 18, not a multiple of 4");
    gaps = planes_problem(1, 2, 8, 8, {4, 4});
    gaps.input_strides[4] += 4; // between rows
    gaps.input_strides[2] += 16;
    gaps.input_strides[1] += 16 * 8;
    expect_refusal(instance, gaps, "follow each other");
}

} // namespace
} // namespace ck::test
