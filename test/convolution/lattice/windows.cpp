// Depthwise convolutions by sliding windows (conv/kernels/sliding_window/kernel.hpp).
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "convolution/lattice/window_shapes.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

constexpr GemmTuning window_tuning(Window window, arch::Matrix instruction)
{
    return tables::sliding_window(tested_direction, instruction, window, 1);
}

/// A window of one column slides along lines, all pixels of the shape in one; one of several planes
/// over images of a few planes.
ConvProblem window_problem(const Window& w, const WindowShape& s)
{
    if(w.x == 1 && w.y > 1)
        return make_packed_problem<1>(s.groups,
                                      s.images,
                                      1,
                                      1,
                                      {w.y},
                                      {s.input[0] * s.input[1]},
                                      {w.stride},
                                      {1},
                                      {s.pad_low[0]},
                                      {s.pad_high[0]},
                                      PackedOrder::group_inside);
    if(w.z > 1)
        return make_packed_problem<3>(s.groups,
                                      s.images,
                                      1,
                                      1,
                                      {w.z, w.y, w.x},
                                      {window_planes, s.input[0], s.input[1]},
                                      {1, w.stride, w.stride},
                                      {1, 1, 1},
                                      {w.z / 2, s.pad_low[0], s.pad_low[1]},
                                      {0, s.pad_high[0], s.pad_high[1]},
                                      PackedOrder::group_inside);
    return make_packed_problem<2>(s.groups,
                                  s.images,
                                  1,
                                  1,
                                  {w.y, w.x},
                                  {s.input[0], s.input[1]},
                                  {w.stride, w.stride},
                                  {1, 1},
                                  {s.pad_low[0], s.pad_low[1]},
                                  {s.pad_high[0], s.pad_high[1]},
                                  PackedOrder::group_inside);
}

template <class T, Window window, arch::Matrix instruction>
void check_windows()
{
    constexpr GemmTuning tuning = window_tuning(window, instruction);
    const InstanceOf<T, tuning> instance("window");
    for(const WindowShape& shape : window_shapes(window))
        expect_right(instance, window_problem(window, shape));
}

TEST(Windows, ThreeByThree)
{
    check_windows<half_t, Window{3, 3, 1, 4, 2, 3}, dot_f32_8x4x2_f16>();
}
TEST(Windows, FiveByFive)
{
    check_windows<bhalf_t, Window{5, 5, 1, 4, 2, 5}, dot_f32_8x4x2_bf16>();
}
TEST(Windows, SevenBySeven) { check_windows<float, Window{7, 7, 1, 2, 4, 1}, dot_f32_8x4x1_f32>(); }
TEST(Windows, ThreePlanes)
{
    check_windows<half_t, Window{3, 3, 1, 4, 2, 3, 3}, dot_f32_8x4x2_f16>();
}
TEST(Windows, PlanesOneByOne)
{
    constexpr Window window{3, 3, 1, 4, 2};
    const InstanceOf<half_t, window_tuning(window, dot_f32_8x4x2_f16)> instance("window");
    expect_right(instance,
                 make_packed_problem<3>(
                     8, 2, 1, 1, {1, 3, 3}, {4, 7, 6}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}));
}
TEST(Windows, FourPixels) { check_windows<half_t, Window{4, 1, 1, 1, 8, 8}, dot_f32_8x4x2_f16>(); }
TEST(Windows, ManyPixels) { check_windows<half_t, Window{31, 1, 1, 1, 2, 8}, dot_f32_8x4x2_f16>(); }
#if defined(CK_TEST_FORWARD) // backward data has only windows of stride 1
TEST(Windows, ThreeByThreeStride2)
{
    check_windows<half_t, Window{3, 3, 2, 2, 2, 3}, dot_f32_8x4x2_f16>();
}
TEST(Windows, ThreePlanesStride2)
{
    check_windows<half_t, Window{3, 3, 2, 2, 2, 2, 3}, dot_f32_8x4x2_f16>();
}
TEST(Windows, FiveByFiveStride2)
{
    check_windows<half_t, Window{5, 5, 2, 4, 1}, dot_f32_8x4x2_f16>();
}
#endif

/// Filters of which the groups are the fastest, so that neighbouring taps are apart.
TEST(Windows, TapsApart)
{
    const auto check = [](const Instance& instance, const Window& w) {
        ConvProblem p         = window_problem(w, {24, 2, {9, 11}, {1, 1}, {1, 1}});
        long_index_t distance = p.groups;
        p.filter_strides[0]   = 1;
        for(std::size_t d = 6; d-- > 3; distance *= p.filter_lengths()[d])
            p.filter_strides[d] = distance;
        p.filter_strides[1] = p.filter_strides[2] = distance; // distance of one channel
        expect_right(instance, p);
    };
    constexpr Window image{3, 3, 1, 4, 2, 3}, planes{3, 3, 1, 4, 2, 3, 3}, line{4, 1, 1, 1, 8, 8};
    check(InstanceOf<half_t, window_tuning(image, dot_f32_8x4x2_f16)>("window"), image);
    check(InstanceOf<half_t, window_tuning(planes, dot_f32_8x4x2_f16)>("window"), planes);
    check(InstanceOf<half_t, window_tuning(line, dot_f32_8x4x2_f16)>("window"), line);
}

TEST(Windows, AreRefusedElsewhere)
{
    constexpr GemmTuning tuning = window_tuning({3, 3, 1, 4, 2}, dot_f32_8x4x2_f16);
    const InstanceOf<half_t, tuning> instance("window");
    using L = long_index_t;
    const auto problem =
        [](L k, L c, std::array<L, 2> filter, std::array<L, 2> stride, L dilation) {
            return make_packed_problem<2>(8,
                                          1,
                                          k,
                                          c,
                                          {filter[0], filter[1]},
                                          {16, 16},
                                          {stride[0], stride[1]},
                                          {dilation, 1},
                                          {1, 1},
                                          {1, 1});
        };
    expect_refusal(
        instance, problem(2, 1, {3, 3}, {1, 1}, 1), "a group has 1 channels of X and 2 of Y");
    expect_refusal(instance,
                   problem(1, 1, {3, 5}, {1, 1}, 1),
                   "the filter is 3 by 5, but this kernel is for 3 by 3");
    expect_refusal(instance,
                   problem(1, 1, {3, 3}, {1, 2}, 1),
                   "the stride is 1 by 2, but this kernel is for 1 by 1");
    expect_refusal(instance,
                   problem(1, 1, {3, 3}, {1, 1}, 2),
                   "the dilation is 2 by 1, but this kernel is for 1 by 1");
    const auto with_planes = [](L planes, L stride) {
        return make_packed_problem<3>(
            8, 2, 1, 1, {planes, 3, 3}, {4, 7, 6}, {stride, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1});
    };
    expect_refusal(instance,
                   with_planes(2, 1),
                   "along the depth the filter is 2, the stride 1 and the dilation 1, but this "
                   "kernel is for 1, 1 and 1");
    expect_refusal(instance, with_planes(1, 2), "along the depth the filter is 1, the stride 2");
}

} // namespace
} // namespace ck::test
