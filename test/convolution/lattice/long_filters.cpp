// Depthwise convolutions with filters of any size (conv/kernels/long_filter/kernel.hpp).
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

template <class T, arch::Matrix instruction, index_t columns, index_t vector>
using LongFilter = InstanceOf<T, tables::long_filter(instruction, columns, vector)>;

/// Groups that leave threads idle, rows that no segment divides, and more taps than LDS has.
template <class Instance>
void check_long_filters(const Instance& instance, long_index_t vector)
{
    expect_right(instance,
                 make_packed_problem<1>(5 * vector, 2, 1, 1, {75}, {101}, {1}, {1}, {74}, {0}));
    expect_right(
        instance,
        make_packed_problem<2>(72, 2, 1, 1, {7, 3}, {5, 18}, {1, 1}, {1, 1}, {3, 1}, {3, 1}));
    expect_right(
        instance, // mostly outside
        make_packed_problem<2>(vector, 1, 1, 1, {3, 35}, {2, 4}, {1, 1}, {1, 1}, {2, 33}, {1, 34}));
    expect_right(instance, // it has one window
                 make_packed_problem<2>(
                     8 * vector, 3, 1, 1, {9, 16}, {9, 16}, {1, 1}, {1, 1}, {0, 0}, {0, 0}));
    expect_right(
        instance,
        make_packed_problem<3>(
            64, 1, 1, 1, {3, 2, 5}, {4, 5, 9}, {1, 1, 1}, {1, 1, 1}, {1, 0, 2}, {1, 1, 2}));
}

TEST(LongFilters, TwoGroups)
{
    check_long_filters(LongFilter<half_t, dot_f32_8x4x2_f16, 8, 2>("long filter"), 2);
}
TEST(LongFilters, OneGroup)
{
    check_long_filters(LongFilter<float, dot_f32_8x4x1_f32, 4, 1>("long filter"), 1);
}

TEST(LongFilters, AreRefusedElsewhere)
{
    const LongFilter<half_t, dot_f32_8x4x2_f16, 8, 2> instance("long filter");
    const auto problem = [](long_index_t channels, long_index_t stride, long_index_t dilation) {
        return make_packed_problem<1>(
            8, 1, channels, channels, {31}, {64}, {stride}, {dilation}, {15}, {15});
    };
    expect_refusal(instance, problem(2, 1, 1), "a group has 2 channels of X and 2 of Y");
    expect_refusal(instance, problem(1, 2, 1), "a stride is 2 and its dilation 1");
    expect_refusal(instance, problem(1, 1, 2), "a stride is 1 and its dilation 2");
}

} // namespace
} // namespace ck::test
