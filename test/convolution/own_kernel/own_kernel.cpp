// A kernel that a program adds without an edit of the library's, in the operations of the library.
//
// Labels: emulated on one target
#include "convolution/own_kernel/one_element.hpp"
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test {
namespace {

using namespace tensor_operation::device;

constexpr GemmTuning tuning{.block_tile  = {16, 16, 1},
                            .wave_m      = 8,
                            .wave_n      = 4,
                            .instruction = arch::Matrix::dot_f32_8x4x1_f32,
                            .a_vector    = 1,
                            .b_vector    = 1,
                            .c_vector    = 1,
                            .pipeline    = own::one_element};

/// Stride and dilation above 1, padding, three groups.
const ConvProblem small =
    make_packed_problem<2>(3, 2, 5, 7, {3, 2}, {9, 8}, {2, 1}, {1, 3}, {1, 2}, {0, 1});

TEST(OwnKernel, forward)
{
    EXPECT_EQ((expect_right<ForwardDirection, float, tuning>(small).reason), "");
    EXPECT_EQ((expect_right<ForwardDirection, half_t, tuning>(small).reason), "");
}

/// Pixels that no tap reaches are zeros.
TEST(OwnKernel, backward_data)
{
    EXPECT_EQ((expect_right<BackwardDataDirection, float, tuning>(small).reason), "");
}

TEST(OwnKernel, refuses_by_its_own_rule)
{
    const ConvProblem large =
        make_packed_problem<2>(1, 1, 1, 1, {40, 40}, {50, 50}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    EXPECT_EQ((expect_right<ForwardDirection, float, tuning>(large).reason),
              "the filter has 1600 taps, but this kernel is slow from 1000 on");
}

template <GemmTuning t>
constexpr const char* why_not()
{
    using Types = ConvTypes<float, float, float, PassThrough, PassThrough, PassThrough>;
    return LauncherOf<own::one_element, ForwardDirection, Forward, Types, t>::why_not();
}

TEST(OwnKernel, says_what_is_wrong_with_a_tuning)
{
    constexpr GemmTuning wide = [] {
        GemmTuning t = tuning;
        t.a_vector   = 2;
        return t;
    }();
    EXPECT_EQ(why_not<tuning>(), nullptr);
    EXPECT_STREQ(why_not<wide>(), "threads load and store single elements");
}

} // namespace
} // namespace ck::test
