// Groups of a few channels without a matrix instruction (conv/kernels/small_groups/kernel.hpp).
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
using L = long_index_t;

template <class T, arch::Matrix instruction, index_t channels, index_t taps, index_t columns>
using SmallGroups = InstanceOf<T, tables::small_groups(instruction, channels, taps, columns)>;

/// Groups of as many channels of X as of Y and of others, more than a block has, and more than LDS
/// has the filters of; rows that no segment divides; images that no block's segments divide.
template <class Instance>
void check_groups(const Instance& instance, L taps)
{
    const auto check = [&](L groups, L images, L k, L c, std::array<L, 2> input, L pad) {
        expect_right(instance,
                     make_packed_problem<2>(groups,
                                            images,
                                            k,
                                            c,
                                            {2, taps},
                                            {input[0], input[1]},
                                            {1, 1},
                                            {1, 1},
                                            {1, pad},
                                            {0, pad},
                                            PackedOrder::group_inside));
    };
    check(6, 3, 8, 8, {5, 9}, 1);
    check(3, 1, 16, 8, {3, 15}, 0);
    check(3, 2, 8, 24, {4, 7}, 2);
    check(2, 1, 40, 64, {6, 6}, 1); // a block has 32 channels, LDS those of a part
    check(1, 1, 64, 8, {2, 30}, 1);
    expect_right(instance, make_packed_problem<1>(5, 2, 8, 8, {taps}, {31}, {1}, {1}, {1}, {2}));
    expect_right(instance,
                 make_packed_problem<3>(4,
                                        1,
                                        8,
                                        16,
                                        {3, 2, taps},
                                        {4, 5, 6},
                                        {2, 3, 1},
                                        {1, 2, 1},
                                        {1, 1, 0},
                                        {1, 2, 2},
                                        PackedOrder::group_inside));
}

/// Strides and dilations, with and without a common factor, and strides longer than the filter or
/// than the input.
template <class Instance>
void check_strides(const Instance& instance)
{
    const auto check = [&](std::array<L, 2> stride, std::array<L, 2> dilation) {
        expect_right(instance,
                     make_packed_problem<2>(6,
                                            2,
                                            8,
                                            8,
                                            {3, 3},
                                            {9, 20},
                                            {stride[0], stride[1]},
                                            {dilation[0], dilation[1]},
                                            {2, 1},
                                            {2, 3},
                                            PackedOrder::group_inside));
    };
    check({2, 2}, {1, 1});
    check({1, 3}, {2, 1});
    check({2, 2}, {2, 4});
    check({5, 4}, {1, 2});
    check({11, 25}, {2, 3});
}

TEST(SmallGroups, EightChannelsThreeTaps)
{
    check_groups(SmallGroups<float, dot_f32_8x4x1_f32, 8, 3, 7>("small groups"), 3);
}
TEST(SmallGroups, FourChannelsThreeTaps)
{
    check_groups(SmallGroups<half_t, dot_f32_8x4x2_f16, 4, 3, 4>("small groups"), 3);
}
TEST(SmallGroups, EightChannels)
{
    const SmallGroups<float, dot_f32_8x4x1_f32, 8, 1, 7> instance("small groups");
    check_groups(instance, 3);
    check_strides(instance);
}
TEST(SmallGroups, FourChannels)
{
    const SmallGroups<float, dot_f32_8x4x1_f32, 4, 1, 2> instance("small groups");
    check_groups(instance, 5);
    check_strides(instance);
    for(const L k : {4, 12, 20}) // not multiples of eight channels
        expect_right(instance, small_groups(7, k, 4 * k % 28 + 4));
}

/// More blocks than tens of compute units have place for: threads compute segments one after the
/// other.
TEST(SmallGroups, ManySegments)
{
    const SmallGroups<float, dot_f32_8x4x1_f32, 4, 1, 2> instance("small groups");
    for(const L stride : {1, 2})
        expect_right(instance,
                     make_packed_problem<2>(2,
                                            5,
                                            4,
                                            4,
                                            {2, 1},
                                            {161, 163},
                                            {1, stride},
                                            {1, 1},
                                            {1, 0},
                                            {0, 0},
                                            PackedOrder::group_inside));
}

TEST(SmallGroups, AreRefusedElsewhere)
{
    const SmallGroups<float, dot_f32_8x4x1_f32, 8, 3, 7> instance("small groups");
    const auto problem = [](L k, L c, L taps, L stride, L dilation) {
        return make_packed_problem<1>(8, 1, k, c, {taps}, {300}, {stride}, {dilation}, {1}, {1});
    };
    ASSERT_EQ(instance.refusal(problem(8, 8, 3, 1, 1)), "");
    expect_refusal(instance, problem(6, 6, 3, 1, 1), "a group has 6 channels of ");
    expect_refusal(instance, problem(72, 72, 3, 1, 1), "for multiples of ");
    expect_refusal(instance, problem(8, 8, 4, 1, 1), "along a row the filter has 4 taps");
    expect_refusal(instance, problem(8, 8, 3, 2, 1), "the stride 2 and the dilation 1");
    expect_refusal(instance, problem(8, 8, 3, 1, 2), "the stride 1 and the dilation 2");
    expect_refusal(instance, problem(8, 8, 75, 1, 1), "the filter has 75 taps");
}

} // namespace
} // namespace ck::test
