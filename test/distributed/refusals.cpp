// Every refusal of the library's distributed part, by its text, and calls in a wrong order.
#include <gtest/gtest.h>

#include "split_problem.hpp"

namespace {

using namespace ck;
using namespace ck::split_test;
using namespace std::chrono_literals;

/// What f throws; empty: nothing.
template <class F>
std::string thrown(const F& f)
{
    try
    {
        f();
    }
    catch(const std::exception& e)
    {
        return e.what();
    }
    return "";
}

/// The only rank's.
template <class F>
std::string alone(const F& f)
{
    return thrown([&] { run_in_process(1, f); });
}

/// What each of some ranks throws as it makes a plan: all the same.
std::string why_none(const std::vector<ConvSpec>& specs,
                     const std::vector<Partition>& partitions,
                     const std::vector<PlanOptions>& options = {{}},
                     int ranks                               = 2)
{
    std::vector<std::string> all(static_cast<std::size_t>(ranks));
    run_in_process(ranks, [&](Communicator& c) {
        const auto rank = static_cast<std::size_t>(c.rank());
        const auto of   = [&](const auto& list) { return list[std::min(rank, list.size() - 1)]; };
        all[rank]       = thrown([&] { SplitConvPlan(c, of(specs), of(partitions), of(options)); });
    });
    for(const std::string& message : all)
        EXPECT_EQ(message, all[0]) << "each rank says the same";
    return all[0];
}

const ConvSpec sound{.k = 2, .c = 2, .input = {8}, .filter = {3}, .pads = {{1, 1}}};
const Partition halves{.axis = Axis::w, .x = even_parts(8, 2)};

/// Why rank 0 refuses a plan.
std::string why(const ConvSpec& spec, const Partition& partition)
{
    const std::string who = "rank 0: ck::distributed::SplitConvPlan: ";
    const std::string all = why_none({spec}, {partition});
    EXPECT_EQ(all.substr(0, who.size()), who);
    return all.substr(std::min(all.size(), who.size()));
}

/// A copy with one thing changed.
template <class T, class F>
T with(T value, const F& change)
{
    change(value);
    return value;
}

float* floats(const DeviceMem& memory) { return static_cast<float*>(memory.GetDeviceBuffer()); }

} // namespace

TEST(DistributedRefusals, SumsThatHaveNotBegun)
{
    const std::string finish = "ck::distributed::AllReduce::finish(): ";
    run_in_process(2, [&](Communicator& c) {
        const DeviceMem memory(3 * sizeof(float));
        memory.SetZero();
        AllReduce sum(c, 3);
        EXPECT_EQ(thrown([&] { sum.finish(); }), finish + "begin() comes first: no sum has begun");
        sum.begin(floats(memory), nullptr);
        EXPECT_EQ(thrown([&] { sum.begin(floats(memory), nullptr); }),
                  "ck::distributed::AllReduce::begin(): finish() comes first: a sum has begun");
        sum.finish();
        EXPECT_EQ(thrown([&] { sum.finish(); }), finish + "begin() comes first: no sum has begun");
        EXPECT_EQ(thrown([&] { sum.begin(nullptr, nullptr); }),
                  "ck::distributed::AllReduce::begin(): numbers is null, but 3 are summed");
        AllReduce other = std::move(sum);
        other.begin(floats(memory), nullptr);
        other.finish();
        EXPECT_EQ(thrown([&] { sum.begin(floats(memory), nullptr); }),
                  "ck::distributed::AllReduce::begin(): another one has taken its memory");
        EXPECT_EQ(thrown([&] { sum.finish(); }), finish + "begin() comes first: no sum has begun");
        AllReduce nothing(c, 0); // its address does not matter
        nothing.begin(nullptr, nullptr);
        nothing.finish();
    });
}

TEST(DistributedRefusals, SumsThatNoMemoryHolds)
{
    for(const std::size_t count : {std::size_t{1} << 61, std::size_t{1} << 63, ~std::size_t{0}})
    {
        const std::string rule = "a sum of " + std::to_string(count) +
                                 " numbers, but must be of at most 2305843009213693951";
        EXPECT_EQ(alone([&](Communicator& c) { AllReduce(c, count); }), rule);
        EXPECT_EQ(alone([&](Communicator& c) {
                      float number = 0;
                      BucketedAllReduce(c, &number, count, count);
                  }),
                  rule);
    }
}

TEST(DistributedRefusals, BucketsOfNumbersThatThereAreNot)
{
    const std::string call = "ck::distributed::BucketedAllReduce::";
    EXPECT_EQ(alone([](Communicator& c) { BucketedAllReduce(c, nullptr, 0, 0); }),
              "a bucket has 0 numbers, but must have at least 1");
    EXPECT_EQ(alone([](Communicator& c) { BucketedAllReduce(c, nullptr, 5); }),
              "numbers is null, but 5 are summed");
    run_in_process(1, [&](Communicator& c) {
        const DeviceMem memory(100 * sizeof(float));
        memory.SetZero();
        BucketedAllReduce sum(c, floats(memory), 100, 32);
        const auto ready = [&](std::size_t count) {
            return thrown([&] { sum.ready(count, nullptr); });
        };
        for(int step = 0; step < 2; ++step)
        {
            EXPECT_EQ(ready(1000),
                      call + "ready(): 1000 numbers are ready, but must be from 0, those that were "
                             "ready before, to 100, all");
            EXPECT_EQ(ready(40), "");
            EXPECT_EQ(ready(40), "");
            EXPECT_EQ(ready(39),
                      call + "ready(): 39 numbers are ready, but must be from 40, those that were "
                             "ready before, to 100, all");
            EXPECT_EQ(ready(100), "");
            EXPECT_EQ(ready(101),
                      call + "ready(): 101 numbers are ready, but must be from 100, those that "
                             "were ready before, to 100, all");
            sum.finish(nullptr);
        }
        BucketedAllReduce other = std::move(sum);
        EXPECT_EQ(ready(0), call + "ready(): another one has taken its memory");
        EXPECT_EQ(thrown([&] { sum.finish(nullptr); }),
                  call + "finish(): another one has taken its memory");
    });
}

TEST(DistributedRefusals, MessagesOfNoRankAndNoMemory)
{
    run_in_process(3, [](Communicator& c) {
        if(c.rank() != 1)
            return;
        char byte          = 0;
        const auto message = [&](int peer, void* data, std::size_t bytes, bool sent) {
            const Send send{peer, data, bytes};
            const Receive receive{peer, data, bytes};
            return thrown([&] {
                if(sent)
                    c.begin({&send, 1}, {}, nullptr);
                else
                    c.begin({}, {&receive, 1}, nullptr);
            });
        };
        for(const bool sent : {false, true})
        {
            for(const int peer : {-1, 1, 3})
                EXPECT_EQ(message(peer, &byte, 1, sent),
                          "rank 1 of 3 names rank " + std::to_string(peer) + " as another");
            EXPECT_EQ(message(2, nullptr, 4, sent),
                      "rank 1 of 3 gives 4 bytes at a null address for rank 2");
        }
        for(const int root : {-1, 3})
            EXPECT_EQ(thrown([&] { c.broadcast(&byte, 1, root, nullptr); }),
                      "the root of a broadcast is rank " + std::to_string(root) +
                          ", but there are ranks 0 to 2");
        EXPECT_EQ(thrown([&] { c.broadcast(nullptr, 8, 0, nullptr); }),
                  "rank 1 of 3 gives 8 bytes at a null address for a broadcast");
    });
}

TEST(DistributedRefusals, ExchangesThatAreFinishedTwice)
{
    run_in_process(2, [](Communicator& c) {
        const DeviceMem memory(8);
        memory.SetZero();
        const int peer = 1 - c.rank();
        const Send send{peer, memory.GetDeviceBuffer(), 4};
        const Receive receive{peer, floats(memory) + 1, 4};
        const auto exchange = c.begin({&send, 1}, {&receive, 1}, nullptr);
        exchange->finish();
        EXPECT_EQ(thrown([&] { exchange->finish(); }),
                  "ck::distributed::Exchange::finish(): it has been called before");
    });
}

TEST(DistributedRefusals, RanksAndLimits)
{
    const auto ranks = [](int count, std::chrono::milliseconds wait = 1s) {
        return thrown([&] { run_in_process(count, [](Communicator&) {}, {.wait = wait}); });
    };
    EXPECT_EQ(ranks(0), "0 ranks in one process, but must be 1 to 1024");
    EXPECT_EQ(ranks(-1), "-1 ranks in one process, but must be 1 to 1024");
    EXPECT_EQ(ranks(1025), "1025 ranks in one process, but must be 1 to 1024");
    const std::string rule = ", but must be more than 0 and at most 31536000000, a year";
    EXPECT_EQ(ranks(1, 0ms), "the time limit is 0 ms" + rule);
    EXPECT_EQ(ranks(1, -5ms), "the time limit is -5 ms" + rule);
    EXPECT_EQ(ranks(1, std::chrono::milliseconds::max()),
              "the time limit is 9223372036854775807 ms" + rule);
    EXPECT_EQ(ranks(2, 31536000000ms), "");
    struct Silent : Communicator
    {
        Silent(int rank, int size) : Communicator(rank, size, {}) {}
        std::string transport() const override { return "none"; }
        std::unique_ptr<Exchange>
        start(std::span<const Send>, std::span<const Receive>, void*) override
        {
            return nullptr;
        }
    };
    const std::string numbered = ", but ranks are numbered from 0 to below their number";
    EXPECT_EQ(thrown([] { Silent(2, 2); }), "rank 2 of 2" + numbered);
    EXPECT_EQ(thrown([] { Silent(-1, 2); }), "rank -1 of 2" + numbered);
    EXPECT_EQ(thrown([] { Silent(0, 0); }), "rank 0 of 0" + numbered);
    EXPECT_EQ(thrown([] { Silent(1, 2); }), "");
}

TEST(DistributedRefusals, LinesAndParts)
{
    const auto line = [](const Line& l) {
        const std::string output = thrown([&] { static_cast<void>(l.output()); });
        EXPECT_EQ(thrown([&] { static_cast<void>(l.input_rows({0, 1})); }), output);
        EXPECT_EQ(thrown([&] { static_cast<void>(l.output_rows({0, 1})); }), output);
        EXPECT_EQ(thrown([&] { static_cast<void>(output_parts(l, {{0, 1}})); }), output);
        EXPECT_EQ(thrown([&] { halos_of(l, Direction::forward, {{}}, {{}}, "X"); }), output);
        return output;
    };
    const std::string who = "ck::distributed::Line: ", most = " to 2147483647";
    EXPECT_EQ(line({.input = 0}), who + "input is 0, but must be from 1" + most);
    EXPECT_EQ(line({.filter = 0}), who + "filter is 0, but must be from 1" + most);
    EXPECT_EQ(line({.stride = 0}), who + "stride is 0, but must be from 1" + most);
    EXPECT_EQ(line({.dilation = -1}), who + "dilation is -1, but must be from 1" + most);
    EXPECT_EQ(line({.pad_low = -2147483648}),
              who + "pad_low is -2147483648, but must be from -2147483647" + most);
    EXPECT_EQ(line({.pad_high = 2147483648}),
              who + "pad_high is 2147483648, but must be from -2147483647" + most);
    EXPECT_EQ(line({.input = 4, .filter = 3}), "");

    EXPECT_EQ(thrown([] {
                  parts_of_sizes({1, -1});
              }),
              "a part has -1 rows, but must have at least 0");
    EXPECT_EQ(thrown([] {
                  parts_of_sizes({5, 9223372036854775807});
              }),
              "parts have 5 and 9223372036854775807 rows, more than can be counted");
    EXPECT_EQ(thrown([] { even_parts(-1, 1); }),
              "-1 rows for 1 ranks, but must be at least 0 for at least 1");
    EXPECT_EQ(thrown([] { even_parts(1, 0); }),
              "1 rows for 0 ranks, but must be at least 0 for at least 1");
    EXPECT_EQ(thrown([] { halos_of({}, Direction::forward, even_parts(1, 1), {}, "X"); }),
              "there are 1 parts of the result, but 0 of X: one for each rank of both");
    EXPECT_EQ(thrown([] {
                  halos_of({.input = 8, .filter = 3, .pad_low = 1, .pad_high = 1},
                           Direction::forward,
                           {{2, 4}},
                           {{2, 4}},
                           "X");
              }),
              "rank 0 needs 1 rows of X before its part (rows 2 to 3), but has no neighbour there: "
              "use fewer ranks or larger parts");
}

TEST(DistributedRefusals, SpecsThatAreNotSplit)
{
    EXPECT_EQ(why(with(sound, [](ConvSpec& s) { s.transposed = true; }), halves),
              "transposed is set, but transposed convolutions are not split");
    EXPECT_EQ(why(with(sound,
                       [](ConvSpec& s) {
                           s.type                 = DataType::i8;
                           s.quantization.enabled = true;
                       }),
                  halves),
              "quantization.enabled is true, but quantized convolutions are not split");
    EXPECT_EQ(why(with(sound,
                       [](ConvSpec& s) {
                           s.layout    = Layout::strided;
                           s.x_strides = s.y_strides = {2, 16, 1, 2};
                           s.w_strides               = {12, 6, 1, 2};
                       }),
                  halves),
              "layout is strided, but must be channels_last or channels_first");
    EXPECT_EQ(why(sound, with(halves, [](Partition& p) { p.axis = Axis::h; })),
              "the axis is H, but the input has 1 lengths");
    EXPECT_EQ(why(sound, with(halves, [](Partition& p) { p.axis = static_cast<Axis>(3); })),
              "the axis is 3, but the input has 1 lengths");
    EXPECT_EQ(why(sound, with(halves, [](Partition& p) { p.axis = static_cast<Axis>(-1); })),
              "the axis is 18446744073709551615, but the input has 1 lengths");
    const ConvSpec weight =
        with(sound, [](ConvSpec& s) { s.direction = Direction::backward_weight; });
    EXPECT_EQ(why(with(weight, [](ConvSpec& s) { s.beta = 1; }), halves),
              "beta is 1, but dW that is added up over ranks is overwritten");
    EXPECT_EQ(why(with(weight, [](ConvSpec& s) { s.type = DataType::bf16; }), halves),
              "dW is bf16, but is added up over ranks in f32");
}

TEST(DistributedRefusals, PartitionsThatDoNotFit)
{
    const auto y = [](const Parts& parts) { return with(halves, [&](auto& p) { p.y = parts; }); };
    EXPECT_EQ(why(sound, with(halves, [](Partition& p) { p.x = {}; })),
              "the partition has 0 parts of X for 2 ranks");
    EXPECT_EQ(why(sound, y({{0, 8}})), "the partition has 1 parts of Y for 2 ranks");
    EXPECT_EQ(why(sound, y({{0, 4}, {5, 8}})),
              "a part of Y is from row 5 to before row 8, but must begin at row 4, where the one "
              "before ends");
    EXPECT_EQ(why(sound, y({{0, 9}, {9, 8}})),
              "a part of Y is from row 9 to before row 8, but must begin at row 9, where the one "
              "before ends");
    EXPECT_EQ(why(sound, y({{0, 4}, {4, 9}})), "the parts of Y have 9 rows, but Y has 8");
    const auto bytes = [](long_index_t n) {
        return with(halves, [&](Partition& p) { p.launch_bytes = n; });
    };
    for(const long_index_t n : {long_index_t{0}, long_index_t{-1}, long_index_t{2147483648}})
        EXPECT_EQ(why(sound, bytes(n)),
                  "launch_bytes is " + std::to_string(n) + ", but must be from 1 to 2147483647");
}

TEST(DistributedRefusals, MarginsThatDoNotFit)
{
    using Margin           = std::optional<long_index_t> Partition::*;
    const auto with_margin = [](Margin which, long_index_t rows) {
        return with(halves, [&](Partition& p) { p.*which = rows; });
    };
    const ConvSpec data = with(sound, [](ConvSpec& s) { s.direction = Direction::backward_data; });
    for(const auto& [name, which, spec] :
        {std::tuple{"X", &Partition::x_margin, sound}, std::tuple{"Y", &Partition::y_margin, data}})
    {
        const std::string margin = std::string("the margin of ") + name + " is ";
        EXPECT_EQ(why(spec, with_margin(which, 0)),
                  margin + "0 rows, but 1 are read of a neighbour");
        EXPECT_EQ(why(spec, with_margin(which, -1)),
                  margin + "-1 rows, but 1 are read of a neighbour");
        for(const long_index_t huge : {long_index_t{1} << 31, long_index_t{1} << 62})
            EXPECT_EQ(why(spec, with_margin(which, huge)),
                      margin + std::to_string(huge) + " rows, but must be at most 2147483647");
        EXPECT_EQ(why(with(spec, [](ConvSpec& s) { s.n = 2147483647, s.c = s.k = 2; }),
                      with_margin(which, 2147483647)),
                  std::string("the part of ") + name +
                      " has 4 rows and 2 margins of 2147483647, more bytes than can be counted");
    }
}

TEST(DistributedRefusals, RowsOfPaddingWithoutARowOfX)
{
    // Rows 4 to 6 of Y see nothing but zeros, which a rank without X cannot stand for.
    for(const Direction direction : {Direction::forward, Direction::backward_weight})
        EXPECT_EQ(
            why_none({{.direction = direction, .input = {4}, .filter = {1}, .pads = {{0, 3}}}},
                     {{.axis = Axis::w, .x = {{0, 4}, {4, 4}}, .y = {{0, 4}, {4, 7}}}}),
            "rank 1: ck::distributed::SplitConvPlan: rank 1 has rows 4 to 6 of Y, but no row "
            "of X");
}

TEST(DistributedRefusals, RanksThatAreAskedForDifferentThings)
{
    const auto differ = [](const std::string& message, const std::string& words) {
        EXPECT_EQ(message.find("ranks are asked for different things: rank 0 for "), 0u) << message;
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    const auto options = [&](const PlanOptions& one, const PlanOptions& other) {
        return why_none({sound}, {halves}, {one, other});
    };
    differ(options({}, {.workspace_limit = 1 << 20}), ", workspace_limit 1048576\"");
    differ(options({.workspace_limit = 1 << 20}, {.workspace_limit = 1 << 21}),
           ", workspace_limit 2097152\"");
    differ(options({}, {.allow = "."}), ", allow 1: .\"");
    differ(options({}, {.forbid = "no kernel's"}), ", forbid 11: no kernel's\"");
    differ(options({.allow = "."}, {.forbid = "none"}), ", forbid 4: none\"");
    EXPECT_EQ(options({.workspace_limit = 1 << 20}, {.workspace_limit = 1 << 20}), "");

    const auto partition = [&](const auto& change) {
        return why_none({sound}, {halves, with(halves, change)});
    };
    differ(partition([](Partition& p) { p.x = parts_of_sizes({5, 3}); }), " x: 5 3");
    differ(partition([](Partition& p) { p.y = even_parts(8, 2); }), " y: 4 4");
    differ(partition([](Partition& p) { p.x_margin = 3; }), ", x_margin 3");
    differ(partition([](Partition& p) { p.y_margin = 2; }), ", y_margin 2");
    differ(partition([](Partition& p) { p.launch_bytes = 64; }), ", launch_bytes 64\"");
    const ConvSpec square{.input = {8, 8}, .filter = {1, 1}};
    differ(why_none({square}, {halves, with(halves, [](Partition& p) { p.axis = Axis::h; })}),
           "cut along axis 1");

    for(const auto& change :
        std::vector<void (*)(ConvSpec&)>{[](ConvSpec& s) { s.n = 2; },
                                         [](ConvSpec& s) { s.alignment = 8; },
                                         [](ConvSpec& s) { s.epilogue.scale = 2; },
                                         [](ConvSpec& s) { s.layout = Layout::channels_first; },
                                         [](ConvSpec& s) {
                                             s.pads[0] = {2, 0};
                                         },
                                         [](ConvSpec& s) { s.beta = 1; }})
        differ(why_none({sound, with(sound, change)}, {halves}), "");
}

TEST(DistributedRefusals, BiasGradientsWithoutMemory)
{
    const ConvSpec spec = with(sound, [](ConvSpec& s) {
        s.direction     = Direction::backward_weight;
        s.bias_gradient = true;
    });
    run_in_process(1, [&](Communicator& c) {
        const SplitConvPlan plan(c, spec, {.axis = Axis::w, .x = even_parts(8, 1)});
        const DeviceMem x(plan.x().bytes), w(spec.w_bytes()), y(plan.y().bytes),
            sums(2 * sizeof(float)), workspace(plan.workspace_size());
        ASSERT_GT(plan.workspace_size(), 0u);
        ConvTensors t{.x         = x.GetDeviceBuffer(),
                      .w         = w.GetDeviceBuffer(),
                      .y         = y.GetDeviceBuffer(),
                      .bias      = sums.GetDeviceBuffer(),
                      .workspace = workspace.GetDeviceBuffer()};
        t.bias                = nullptr;
        const std::string who = "ck::distributed::SplitConvPlan: ", rule = "bias_gradient is set";
        EXPECT_EQ(thrown([&] { plan.run(t); }), who + "bias is null, but " + rule);
        t.bias      = sums.GetDeviceBuffer();
        t.workspace = nullptr;
        EXPECT_NE(thrown([&] { plan.run(t); }).find("workspace is null"), std::string::npos);
    });
}
