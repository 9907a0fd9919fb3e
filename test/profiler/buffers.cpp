// Sets of buffers: how many, what they hold, and which one a launch gets.
//
// Labels: compiled alone
#include "buffers.hpp"

#include <gtest/gtest.h>

#include "conv_launch.hpp"
#include "problem_text.hpp"
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace ck::profiler {
namespace {

using namespace tensor_operation::device::instance;

const NumberType& f32 = number_type("f32");

/// X of 6 numbers, W of 2, Y of 3.
struct Small
{
    ConvProblem problem = problem_from_text("n1 c2 k1 in3");
    TensorShapes shapes{problem, f32, f32, f32};
};

std::array<Block, 2> operands(const TensorShapes& shapes, std::size_t first, std::size_t second)
{
    return {Block(Fill::normal, 0, shapes.elements[first], f32),
            Block(Fill::normal, 1, shapes.elements[second], f32)};
}

const void* tensor_of(const ConvTensors& set, std::size_t tensor)
{
    return tensor == 0 ? set.x : tensor == 1 ? set.w : set.y;
}

TEST(TensorShapes, have_elements_and_bytes_of_each_tensor)
{
    const TensorShapes shapes(
        problem_from_text("g2 n3 c4 k5 in6 f2"), number_type("f16"), f32, number_type("f64"));
    EXPECT_EQ(shapes.elements, (std::array<long_index_t, 3>{3 * 8 * 6, 2 * 5 * 4 * 2, 3 * 10 * 5}));
    EXPECT_EQ(shapes.bytes(0), 2u * 144);
    EXPECT_EQ(shapes.bytes(1), 4u * 80);
    EXPECT_EQ(shapes.bytes(2), 8u * 150);
    EXPECT_EQ(shapes.bytes(), 288 + 320 + 1200);
}

TEST(Buffers, of_each_direction_hold_the_operands_and_spoilt_results)
{
    constexpr std::size_t operand[3][2]{{0, 1}, {1, 2}, {0, 2}}, result[3]{2, 0, 1};
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        const Small s;
        const auto d      = static_cast<std::size_t>(direction == Direction::forward         ? 0
                                                     : direction == Direction::backward_data ? 1
                                                                                             : 2);
        const auto blocks = operands(s.shapes, operand[d][0], operand[d][1]);
        const Buffers buffers(s.shapes, direction, blocks, true);
        EXPECT_EQ(buffers.sets(), 64);
        std::set<const void*> addresses;
        for(int i = 0; i < buffers.sets(); ++i)
        {
            const ConvTensors set = buffers.set(i);
            for(std::size_t tensor = 0; tensor < 3; ++tensor)
                addresses.insert(tensor_of(set, tensor));
            for(std::size_t of = 0; of < 2; ++of)
            {
                const std::size_t tensor  = operand[d][of];
                const auto* const numbers = static_cast<const float*>(tensor_of(set, tensor));
                for(long_index_t e = 0; e < s.shapes.elements[tensor]; ++e)
                    EXPECT_EQ(numbers[e],
                              static_cast<float>(blocks[of][static_cast<std::size_t>(e)]));
            }
            const auto* const numbers = static_cast<const float*>(tensor_of(set, result[d]));
            for(long_index_t e = 0; e < s.shapes.elements[result[d]]; ++e)
                EXPECT_TRUE(std::isnan(numbers[e]));
        }
        EXPECT_EQ(addresses.size(), 3u * 64) << "each set has memory of its own";
        for(const int i : {0, 5, 63})
            EXPECT_EQ(buffers.set(64 + i).x, buffers.set(i).x) << "in turns";
        EXPECT_EQ(Buffers(s.shapes, direction, blocks, false).sets(), 1);
    }
}

TEST(Buffers, sets_together_are_more_than_caches_hold)
{
    using measure::sets_beyond_caches;
    constexpr double mib = 1 << 20;
    EXPECT_EQ(sets_beyond_caches(0), 64);
    EXPECT_EQ(sets_beyond_caches(100 * mib), 4);
    EXPECT_EQ(sets_beyond_caches(150 * mib), 3);
    EXPECT_EQ(sets_beyond_caches(399 * mib), 2);
    EXPECT_EQ(sets_beyond_caches(400 * mib), 1);
    EXPECT_EQ(sets_beyond_caches(9000 * mib), 1);
}

TEST(Buffers, results_are_taken_once)
{
    const Small s;
    Buffers buffers(s.shapes, Direction::forward, operands(s.shapes, 0, 1), true);
    const float written[3]{1, -2, 3};
    std::memcpy(buffers.set(0).y, written, sizeof written);
    const std::vector<unsigned char> taken = buffers.take();
    ASSERT_EQ(taken.size(), sizeof written);
    EXPECT_EQ(std::memcmp(taken.data(), written, sizeof written), 0);
    float again[3];
    std::memcpy(again, buffers.take().data(), sizeof again);
    for(const float value : again)
        EXPECT_TRUE(std::isnan(value));
}

TEST(Block, of_each_fill_has_the_numbers_that_it_promises)
{
    const NumberType& i8 = number_type("i8");
    const auto ends      = [](const Block& block) {
        const auto [low, high] = std::minmax_element(block.values().begin(), block.values().end());
        return std::pair(*low, *high);
    };
    EXPECT_EQ(ends(Block(Fill::zero, 0, 1000, f32)), std::pair(0., 0.));
    EXPECT_EQ(ends(Block(Fill::integer, 0, 1000, f32)), std::pair(-5., 5.));
    EXPECT_EQ(ends(Block(Fill::integer, 1, 1000, i8)), std::pair(-2., 2.));
    EXPECT_EQ(ends(Block(Fill::normal, 1, 1000, i8)), std::pair(-2., 2.));
    const Block whole(Fill::integer, 0, 1000, f32);
    for(const double value : whole.values())
        EXPECT_EQ(value, std::round(value));
    const auto first  = ends(Block(Fill::decimal, 0, 10000, f32)),
               second = ends(Block(Fill::decimal, 1, 10000, f32));
    EXPECT_TRUE(first.first >= 0 && first.first < .01 && first.second > .99 && first.second <= 1);
    EXPECT_TRUE(second.first >= -.5 && second.first < -.49 && second.second > .49 &&
                second.second <= .5);
    double squares = 0;
    const Block normal(Fill::normal, 0, 10000, f32);
    for(const double value : normal.values())
        squares += value * value / 10000;
    EXPECT_NEAR(squares, 1, .05);
    EXPECT_NE(normal.values(), Block(Fill::normal, 1, 10000, f32).values())
        << "each tensor has its own";
    const Block small(Fill::normal, 0, 7, f32);
    EXPECT_EQ(small.values().size(), 7u);
    EXPECT_EQ(small[9], small[2]) << "repeated throughout the tensor";
    EXPECT_EQ(Block(Fill::zero, 0, 5000000, f32).values().size(), Block::most);
}

TEST(ConvLaunch, gives_each_direction_the_tensors_of_the_set_in_turn)
{
    const Small s;
    ConvArgument seen;
    const ConvKernel kernel{"_Seen<1>",
                            [](const ConvArgument&) { return Support{}; },
                            [](const ConvArgument&) { return std::size_t{32}; },
                            [&](const ConvArgument& a, LaunchList&) { seen = a; },
                            [](const ConvArgument&) { return 7.; },
                            [](const auto&) { return std::optional<double>(7.); }};
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        const bool forward = direction == Direction::forward,
                   weight  = direction == Direction::backward_weight;
        const Buffers buffers(s.shapes,
                              direction,
                              operands(s.shapes, forward || weight ? 0 : 1, forward ? 1 : 2),
                              true);
        Workspace workspace;
        ConvLaunch launch(kernel, direction, {}, buffers, workspace);
        const DeviceMem next(std::size_t{1} << 20); // the workspace cannot grow in place
        EXPECT_EQ(launch.workspace_bytes(), 32u);
        EXPECT_EQ(launch.predicted_cycles(), 7);
        for(const int i : {0, 3, 65})
        {
            launch.run(i, nullptr);
            const ConvTensors set = buffers.set(i);
            ASSERT_EQ(seen.a.size(), 1u);
            ASSERT_EQ(seen.b.size(), 1u);
            EXPECT_EQ(seen.a[0], forward ? set.x : set.y);
            EXPECT_EQ(seen.b[0], weight ? set.x : set.w);
            EXPECT_EQ(seen.c, forward ? set.y : weight ? set.w : set.x);
            EXPECT_EQ(seen.workspace, workspace.get());
        }
        const void* const before    = workspace.get();
        constexpr std::size_t other = std::size_t{1} << 22; // another launch's: the memory moves
        workspace.require(other);
        ASSERT_NE(workspace.get(), before);
        std::memset(workspace.get(), 0, other);
        launch.run_once();
        EXPECT_EQ(seen.workspace, workspace.get());
        EXPECT_EQ(seen.b[0], weight ? buffers.set(0).x : buffers.set(0).w);
        EXPECT_EQ(static_cast<const unsigned char*>(workspace.get())[other - 1], 0xff)
            << "spoilt before it is read";
        ConvKernel without     = kernel;
        without.workspace_size = [](const ConvArgument&) { return std::size_t{0}; };
        ConvLaunch(without, direction, {}, buffers, workspace).run_once();
        EXPECT_EQ(seen.workspace, nullptr) << "it asked for none";
    }
}

} // namespace
} // namespace ck::profiler
