// Depthwise filters of any size: the zeros of padding rows are multiplied, too.
#include "convolution/nonfinite/nonfinite.hpp"
#include "convolution/nonfinite/problems.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

constexpr GemmTuning tuning = tables::long_filter(arch::Matrix::dot_f32_8x4x1_f32, 2, 1);

std::vector<ConvProblem> problems()
{
    return {make_packed_problem<2>(3, 2, 1, 1, {4, 3}, {5, 6}, {1, 1}, {1, 1}, {2, 1}, {1, 2}),
            make_packed_problem<3>(
                2, 1, 1, 1, {2, 2, 3}, {3, 3, 4}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}, {0, 1, 1})};
}

TEST(NonFiniteLongFilters, Forward) { check<ForwardDirection, float, tuning>(problems()); }
TEST(NonFiniteLongFilters, BackwardData)
{
    check<BackwardDataDirection, float, tuning>(problems());
}

} // namespace
} // namespace ck::test
