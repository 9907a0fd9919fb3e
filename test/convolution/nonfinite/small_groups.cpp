// Groups of a few channels without a matrix instruction: padding is multiplied, and nothing else.
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

constexpr GemmTuning taps_at_once(index_t taps, index_t columns)
{
    return tables::small_groups(dot_f32_8x4x1_f32, 4, taps, columns);
}

std::vector<ConvProblem> strided_groups()
{
    return {make_packed_problem<2>(3, 2, 4, 8, {3, 2}, {7, 6}, {2, 1}, {1, 2}, {2, 1}, {0, 2}),
            make_packed_problem<2>(2, 1, 8, 4, {3, 3}, {6, 7}, {2, 2}, {2, 1}, {0, 3}, {1, 1})};
}
std::vector<ConvProblem> neighbours()
{
    return {make_packed_problem<2>(3, 2, 4, 4, {2, 3}, {5, 6}, {2, 1}, {1, 1}, {2, 1}, {1, 2})};
}

TEST(NonFiniteSmallGroups, Forward)
{
    check<ForwardDirection, float, taps_at_once(1, 2)>(strided_groups());
    check<ForwardDirection, float, taps_at_once(3, 4)>(neighbours());
}
TEST(NonFiniteSmallGroups, BackwardData)
{
    check<BackwardDataDirection, float, taps_at_once(1, 2)>(strided_groups());
    check<BackwardDataDirection, float, taps_at_once(3, 4)>(neighbours());
}
TEST(NonFiniteSmallGroups, BackwardWeight)
{
    constexpr auto tuning = [](bool depthwise, index_t channels, index_t taps, index_t columns) {
        return tables::small_groups_weight(dot_f32_8x4x1_f32, depthwise, channels, taps, columns);
    };
    check_weight<float, tuning(false, 4, 1, 2)>(strided_groups());
    check_weight<float, tuning(false, 4, 3, 4)>(neighbours());
    check_weight<float, tuning(true, 1, 8, 4)>(
        {make_packed_problem<2>(3, 2, 1, 1, {3, 9}, {5, 7}, {2, 1}, {1, 1}, {2, 5}, {1, 4})});
}

} // namespace
} // namespace ck::test
