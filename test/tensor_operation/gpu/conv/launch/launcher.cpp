// What a launcher must have, by one of a kernel that does nothing.
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"

#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

using element_wise::PassThrough;
using Types = ConvTypes<float, float, float, PassThrough, PassThrough, PassThrough>;

constexpr GemmTuning tuning{.block_tile  = {8, 4, 4},
                            .wave_m      = 8,
                            .wave_n      = 4,
                            .instruction = arch::Matrix::dot_f32_8x4x1_f32,
                            .a_vector    = 2,
                            .b_vector    = 1,
                            .c_vector    = 1};

struct NoKernel
{
    using Params = grid::ConvParams<Forward, Types>;
};

/// All that a launcher must say itself: how long its kernel takes.
struct Least : Launcher<ForwardDirection, Types, tuning, NoKernel>
{
    static double predict(const Plan&, double bytes, double) { return bytes; }
};
static_assert(IsLauncher<Least>);
static_assert(!IsLauncher<Launcher<ForwardDirection, Types, tuning, NoKernel>>);

/// Tiles of two pixels and of a column that C does not have, only for odd K.
struct Small : Least
{
    static Support check(const ConvProblem& p, index_t)
    {
        return p.out_channels % 2 == 1
                   ? Support{}
                   : refused("K is " + std::to_string(p.out_channels) + ", not odd");
    }
    static constexpr index_t tile_rows(index_t) { return 2; }
    static long_index_t columns(const ConvProblem& p) { return p.out_channels + 1; }
};
static_assert(IsLauncher<Small>);

/// The same for few pixels, of which the transform knows.
struct Short : Small
{
    static Support check_transform(const ConvProblem& p, const Forward& transform)
    {
        const index_t pixels = transform.views.pixels_of_image;
        return p.out_channels == 9 && pixels < 4
                   ? Support{}
                   : refused(std::to_string(pixels) + " pixels, not fewer than 4");
    }
};
static_assert(IsLauncher<Short>);

template <class L>
Support plan(typename L::Plan& to, long_index_t out_channels, long_index_t in_channels = 2)
{
    typename LaunchPlanner<L>::Argument a{};
    a.problem =
        make_packed_problem<1>(3, 2, out_channels, in_channels, {1}, {5}, {1}, {1}, {0}, {0});
    return LaunchPlanner<L>::plan(to, a, 7);
}

TEST(Launcher, is_asked_for_the_tiles)
{
    Least::Plan least;
    ASSERT_TRUE(plan<Least>(least, 9));
    EXPECT_EQ(least.compute_units, 7);
    EXPECT_EQ(least.groups, 1);
    EXPECT_EQ(least.params.batch, 2);
    EXPECT_EQ(least.params.tiles.column_tiles.value, 3);
    EXPECT_EQ(least.params.tiles.row_tiles.value, 2) << "10 rows, 8 in a tile";
    EXPECT_EQ(least.params.tiles.size(), 3 * 3 * 2);
    Small::Plan small;
    ASSERT_TRUE(plan<Small>(small, 9));
    EXPECT_EQ(small.params.tiles.row_tiles.value, 5);
    ASSERT_TRUE(plan<Small>(small, 4 * 3 - 1));
    EXPECT_EQ(small.params.tiles.column_tiles.value, 3) << "12 columns, 4 in a tile";
}

TEST(Launcher, refuses_after_the_tensors)
{
    Small::Plan made;
    EXPECT_EQ(plan<Small>(made, 8).reason, "K is 8, not odd");
    EXPECT_NE(plan<Small>(made, 8, 3).reason.find("C is 3, not a multiple of 2"), std::string::npos)
        << "what all kernels ask comes first";
}

TEST(Launcher, is_asked_about_the_transform_of_problems_that_it_takes)
{
    Short::Plan made;
    EXPECT_EQ(plan<Short>(made, 8).reason, "K is 8, not odd");
    EXPECT_EQ(plan<Short>(made, 9).reason, "5 pixels, not fewer than 4");
    typename LaunchPlanner<Short>::Argument a{};
    a.problem = make_packed_problem<1>(3, 2, 9, 2, {3}, {5}, {1}, {1}, {0}, {0});
    EXPECT_TRUE(LaunchPlanner<Short>::plan(made, a, 7));
}

TEST(Launcher, gets_the_same_plan_for_what_is_known_to_be_supported)
{
    Small::Plan made;
    ASSERT_TRUE(plan<Small>(made, 9));
    LaunchPlanner<Small>::Argument a{};
    a.problem               = made.problem;
    const Small::Plan again = LaunchPlanner<Small>::plan_supported(a, 7);
    EXPECT_EQ(again.params.tiles.size(), made.params.tiles.size());
    EXPECT_EQ(again.params.sub_batch_size, made.params.sub_batch_size);
}

} // namespace
} // namespace ck::tensor_operation::device
