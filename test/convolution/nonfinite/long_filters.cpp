// Depthwise filters of any size: the zeros of padding rows are multiplied, too.
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

constexpr GemmTuning many_taps = tables::long_filter(arch::Matrix::dot_f32_8x4x1_f32, 2, 1);

std::vector<ConvProblem> long_filters()
{
    return {make_packed_problem<2>(3, 2, 1, 1, {4, 3}, {5, 6}, {1, 1}, {1, 1}, {2, 1}, {1, 2}),
            make_packed_problem<3>(
                2, 1, 1, 1, {2, 2, 3}, {3, 3, 4}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}, {0, 1, 1})};
}

TEST(NonFiniteLongFilters, Forward) { check<ForwardDirection, float, many_taps>(long_filters()); }
TEST(NonFiniteLongFilters, BackwardData)
{
    check<BackwardDataDirection, float, many_taps>(long_filters());
}

} // namespace
} // namespace ck::test
