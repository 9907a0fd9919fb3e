// Split convolutions of small integers, compared with the unsplit one number by number.
#include <gtest/gtest.h>

#include "split_problem.hpp"
#include <sstream>

namespace {

using namespace ck;
using namespace ck::split_test;

constexpr Direction directions[] = {
    Direction::forward, Direction::backward_data, Direction::backward_weight};

/// A spec of one, two or three dimensions of which the last, the first or the middle one is cut.
ConvSpec spec_along(Axis axis, const Line& line, Layout layout, Direction direction)
{
    const PadWidths pads{line.pad_low, line.pad_high};
    ConvSpec s{.direction = direction, .layout = layout, .groups = 2, .n = 2, .k = 3, .c = 2};
    switch(axis)
    {
    case Axis::d:
        s.input     = {line.input, 2, 3};
        s.filter    = {line.filter, 1, 2};
        s.strides   = {line.stride, 1, 1};
        s.dilations = {line.dilation, 1, 1};
        s.pads      = {pads, {0, 0}, {1, 0}};
        break;
    case Axis::h:
        s.input     = {line.input, 4};
        s.filter    = {line.filter, 3};
        s.strides   = {line.stride, 2};
        s.dilations = {line.dilation, 1};
        s.pads      = {pads, {1, 1}};
        break;
    case Axis::w:
        s.input     = {line.input};
        s.filter    = {line.filter};
        s.strides   = {line.stride};
        s.dilations = {line.dilation};
        s.pads      = {pads};
        break;
    }
    return s;
}

/// Even ones, or sizes that differ.
Parts parts_of(long_index_t rows, int ranks, bool even)
{
    if(even || ranks == 1)
        return even_parts(rows, ranks);
    std::vector<long_index_t> sizes;
    for(const Rows& part : even_parts(rows, ranks))
        sizes.push_back(part.size());
    sizes.front() += sizes.back() / 2;
    sizes.back() -= sizes.back() / 2;
    return parts_of_sizes(sizes);
}

TEST(SplitConvolution, EqualsTheWholeInEveryDirection)
{
    std::size_t number = 0, computed = 0, refused = 0;
    for(const long_index_t filter : {1, 2, 3, 5})
        for(const long_index_t stride : {1, 2, 3})
            for(const long_index_t dilation : {1, 2})
                for(const PadWidths pads : {PadWidths{0, 0}, {1, 2}, {4, 0}, {-1, 1}})
                {
                    // Everything else takes turns; the numbers of turns have no common factor.
                    const Line line{24, filter, stride, dilation, pads.low, pads.high};
                    for(const Direction direction : directions)
                    {
                        const int ranks     = 1 + static_cast<int>(number % 8);
                        const auto axis     = static_cast<Axis>(number % 3);
                        const auto layout   = static_cast<Layout>(number / 3 % 2);
                        const ConvSpec spec = spec_along(axis, line, layout, direction);
                        const Partition partition{.axis = axis,
                                                  .x    = parts_of(24, ranks, number % 5 < 2)};
                        ++number;
                        try
                        {
                            EXPECT_EQ(mistakes(spec, ranks, partition), 0u)
                                << to_string(spec) << ", " << ranks << " ranks";
                            ++computed;
                        }
                        catch(const Refused& e) // halos wider than a part
                        {
                            EXPECT_NE(std::string(e.what()).find("has only"), std::string::npos)
                                << e.what();
                            ++refused;
                        }
                    }
                }
    EXPECT_GT(computed, 5 * refused);
}

TEST(SplitConvolution, EqualsTheWholeForOneToEightRanks)
{
    for(int ranks = 1; ranks <= 8; ++ranks)
        for(const Direction direction : directions)
        {
            const auto axis = static_cast<Axis>(ranks % 3);
            EXPECT_EQ(
                mistakes(spec_along(axis, {17, 3, 1, 1, 1, 1}, Layout::channels_last, direction),
                         ranks,
                         {.axis = axis, .x = even_parts(17, ranks)},
                         2),
                0u)
                << ranks << ' ' << name(direction);
        }
}

TEST(SplitConvolution, InSeveralLaunches)
{
    for(const Direction direction : directions)
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
            for(const long_index_t bytes : {1, 200})
            {
                ConvSpec s      = spec_along(Axis::d, {9, 3, 1, 1, 1, 1}, layout, direction);
                s.bias_gradient = direction == Direction::backward_weight;
                const Partition parts{
                    .axis = Axis::d, .x = even_parts(9, 2), .launch_bytes = bytes};
                EXPECT_EQ(mistakes(s, 2, parts, 2), 0u) << to_string(s) << ' ' << bytes;
            }
}

/// The begins of explain()'s lines, without kernels.
std::string launches_of(const ConvSpec& spec, const Partition& partition)
{
    std::string launches;
    run_in_process(1, [&](Communicator& c) {
        std::istringstream lines(SplitConvPlan(c, spec, partition).explain());
        for(std::string line; std::getline(lines, line);)
            launches += line.substr(0, line.find(", pads")) + '\n';
    });
    return launches;
}

TEST(SplitConvolution, LaunchesReachLessThanTwoGiB)
{
    ConvSpec s{.k      = 64,
               .c      = 64,
               .input  = {256, 256, 256}, // 4 GiB
               .filter = {3, 3, 3},
               .pads   = {{1, 1}, {1, 1}, {1, 1}}};
    const Partition whole{.x = even_parts(256, 1)};
    EXPECT_EQ(plan(s).kernel().substr(0, 9), "CutImage<") << "a plan cuts it, too";
    EXPECT_EQ(launches_of(s, whole),
              "interior: X rows 0 to 86, Y rows 0 to 85\n"
              "interior: X rows 85 to 171, Y rows 86 to 170\n"
              "interior: X rows 170 to 255, Y rows 171 to 255\n");
    s.direction = Direction::backward_weight;
    EXPECT_EQ(launches_of(s, whole),
              "own rows: X rows 0 to 86, Y rows 0 to 85\n"
              "own rows: X rows 85 to 171, Y rows 86 to 170\n"
              "own rows: X rows 170 to 255, Y rows 171 to 255\n");
}

TEST(SplitConvolution, WithEpilogues)
{
    ConvSpec s = spec_along(Axis::h, {12, 3, 1, 1, 1, 1}, Layout::channels_last, {});
    s.epilogue = {
        .bias = true, .residual = Residual::before_activation, .activation = Activation::relu};
    const Partition partition{
        .axis = Axis::h, .x = even_parts(12, 3), .x_margin = 2, .y_margin = 1};
    for(const Direction direction : {Direction::forward, Direction::backward_data})
    {
        s.direction = direction;
        if(!has_kernels(s))
            GTEST_SKIP() << "the library was built without kernels that have epilogues";
    }
    for(const Direction direction : {Direction::forward, Direction::backward_data})
    {
        s.direction = direction;
        EXPECT_EQ(mistakes(s, 3, partition, 2), 0u) << name(direction);
    }
    s.epilogue = {};
    s.beta     = 1;
    for(const Direction direction : {Direction::forward, Direction::backward_data})
    {
        s.direction = direction;
        EXPECT_EQ(mistakes(s, 3, partition), 0u) << name(direction) << ", added";
    }
    s.beta          = 0;
    s.direction     = Direction::backward_weight;
    s.bias_gradient = true;
    EXPECT_EQ(mistakes(s, 3, partition, 2), 0u) << "bias gradient";
}

TEST(SplitConvolution, WithRanksThatHaveNothing)
{
    for(const Direction direction : directions)
    {
        // Eight ranks have one row of Y; one rank has no rows of X.
        EXPECT_EQ(
            mistakes(spec_along(Axis::w, {8, 1, 8, 1, 0, 0}, Layout::channels_last, direction),
                     8,
                     {.axis = Axis::w, .x = even_parts(8, 8)}),
            0u)
            << name(direction);
        EXPECT_EQ(
            mistakes(spec_along(Axis::d, {8, 1, 1, 1, 0, 0}, Layout::channels_first, direction),
                     3,
                     {.axis = Axis::d, .x = parts_of_sizes({3, 0, 5})}),
            0u)
            << name(direction);
    }
}

TEST(SplitConvolution, TellsWhoWatchesItsSteps)
{
    using Steps = std::vector<std::string>;
    for(const Direction direction : directions)
    {
        const bool weight = direction == Direction::backward_weight;
        const ConvSpec s =
            spec_along(Axis::h, {8, 3, 1, 1, 1, 1}, Layout::channels_last, direction);
        run_in_process(2, [&](Communicator& c) {
            SplitConvPlan plan(c, s, {.axis = Axis::h, .x = even_parts(8, 2)});
            const DeviceMem x(plan.x().bytes), w(s.w_bytes()), y(plan.y().bytes),
                workspace(plan.workspace_size());
            x.SetZero();
            w.SetZero();
            y.SetZero();
            Steps steps;
            plan.watch([&](const std::string& step) { steps.push_back(step); });
            const ConvTensors t{.x         = x.GetDeviceBuffer(),
                                .w         = w.GetDeviceBuffer(),
                                .y         = y.GetDeviceBuffer(),
                                .workspace = workspace.GetDeviceBuffer()};
            plan.run(t);
            EXPECT_EQ(steps,
                      weight ? (Steps{"send", "wait", "own rows", "sum over ranks", ""})
                             : (Steps{"send", "interior", "wait", "borders", ""}));
            steps.clear();
            plan.run(t, Margins::filled);
            EXPECT_EQ(steps,
                      weight ? (Steps{"own rows", "sum over ranks", ""})
                             : (Steps{"interior", "borders", ""}));
        });
    }
}

std::string why(const ConvSpec& spec, int ranks, const Partition& partition)
{
    std::vector<std::string> all(static_cast<std::size_t>(ranks));
    try
    {
        run_in_process(ranks, [&](Communicator& c) {
            try
            {
                SplitConvPlan(c, spec, partition);
            }
            catch(const Refused& e)
            {
                all[static_cast<std::size_t>(c.rank())] = e.what();
                throw;
            }
        });
    }
    catch(const Refused&)
    {}
    for(const std::string& message : all)
        EXPECT_EQ(message, all[0]) << "each rank says the same";
    return all[0];
}

TEST(SplitConvolution, RefusesWithTheNumbers)
{
    const std::string who = "rank 0: ck::distributed::SplitConvPlan: ";
    const ConvSpec spec   = spec_along(Axis::h, {8, 5, 1, 1, 2, 2}, Layout::channels_last, {});
    const Partition even{.axis = Axis::h, .x = even_parts(8, 8)};
    EXPECT_EQ(why(spec, 8, even),
              who + "rank 0 needs 2 rows of X after its part (rows 0 to 0), but its neighbour, "
                    "rank 1, has only 1: use fewer ranks or larger parts");
    EXPECT_EQ(why(spec, 2, even), who + "the partition has 8 parts of X for 2 ranks");
    EXPECT_EQ(why(spec, 2, {.axis = Axis::h, .x = even_parts(9, 2)}),
              who + "the parts of X have 9 rows, but X has 8");
    EXPECT_EQ(why(spec, 2, {.axis = Axis::h, .x = {{0, 3}, {4, 8}}}),
              who + "a part of X is from row 4 to before row 8, but must begin at row 3, where the "
                    "one before ends");
    EXPECT_EQ(why(spec, 2, {.axis = Axis::d, .x = even_parts(8, 2)}),
              who + "the axis is D, but the input has 2 lengths");
    EXPECT_EQ(why(spec, 2, {.axis = Axis::h, .x = even_parts(8, 2), .x_margin = 1}),
              who + "the margin of X is 1 rows, but 2 are read of a neighbour");
    ConvSpec weight  = spec;
    weight.direction = Direction::backward_weight;
    weight.type      = DataType::f16;
    EXPECT_EQ(why(weight, 1, {.axis = Axis::h, .x = even_parts(8, 1)}),
              who + "dW is f16, but is added up over ranks in f32");
}

TEST(SplitConvolution, RefusesABiasGradientWithoutMemory)
{
    ConvSpec s      = spec_along(Axis::h, {8, 3, 1, 1, 1, 1}, Layout::channels_last, {});
    s.direction     = Direction::backward_weight;
    s.bias_gradient = true;
    run_in_process(1, [&](Communicator& c) {
        const SplitConvPlan plan(c, s, {.axis = Axis::h, .x = even_parts(8, 1)});
        const DeviceMem x(plan.x().bytes), w(s.w_bytes()), y(plan.y().bytes),
            ws(plan.workspace_size());
        try
        {
            plan.run({.x         = x.GetDeviceBuffer(),
                      .w         = w.GetDeviceBuffer(),
                      .y         = y.GetDeviceBuffer(),
                      .workspace = ws.GetDeviceBuffer()});
            ADD_FAILURE() << "it ran";
        }
        catch(const Refused& e)
        {
            EXPECT_STREQ(e.what(),
                         "ck::distributed::SplitConvPlan: bias is null, but bias_gradient is set");
        }
    });
}

TEST(SplitConvolution, RanksWithOtherSpecsAllSaySo)
{
    ConvSpec one = spec_along(Axis::h, {8, 3, 1, 1, 1, 1}, Layout::channels_last, {}), other = one;
    other.k = 4;
    std::vector<std::string> all(2);
    EXPECT_THROW(run_in_process(2,
                                [&](Communicator& c) {
                                    try
                                    {
                                        SplitConvPlan(c,
                                                      c.rank() == 0 ? one : other,
                                                      {.axis = Axis::h, .x = even_parts(8, 2)});
                                    }
                                    catch(const Refused& e)
                                    {
                                        all[static_cast<std::size_t>(c.rank())] = e.what();
                                        throw;
                                    }
                                }),
                 Refused);
    EXPECT_EQ(all[0], all[1]);
    EXPECT_NE(all[0].find("k=3"), std::string::npos) << all[0];
    EXPECT_NE(all[0].find("k=4"), std::string::npos) << all[0];
}

} // namespace
