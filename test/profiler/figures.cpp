// What ckProfiler says of convolutions: times, rates, which is the fastest, and tensors; kernels
// and the clock are stand-ins, so that every figure is known.
//
// Labels: compiled alone
#include <gtest/gtest.h>

#include "buffers.hpp"
#include "convolution.hpp"
#include "operations.hpp"
#include "problem_text.hpp"
#include "profiler/stand_in_clock.hpp"
#include "rival.hpp"
#include <cmath>
#include <memory>
#include <regex>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::profiler {
namespace {

using namespace tensor_operation::device::instance;

ConvRequest request_of(const char* operation, const char* type, const char* problem)
{
    const ConvOperation& o = *find_conv_operation(operation);
    ConvRequest r;
    r.operation = operation;
    r.type      = type;
    r.family    = family_of(o, find_types(o, type));
    r.problems  = {{"", problem_from_text(problem)}};
    return r;
}

/// A kernel that computes nothing and whose launches take these times in ms, one after another; the
/// last one again and again.
ConvKernel lasting(test::StandInClock& clock,
                   const std::string& name,
                   std::vector<double> ms,
                   double cycles = 0)
{
    const auto next = std::make_shared<std::size_t>(0);
    return {name,
            [](const ConvArgument&) { return Support{}; },
            [](const ConvArgument&) { return std::size_t{48}; },
            [&clock, ms, next](const ConvArgument&, LaunchList&) {
                clock.advance(ms[std::min(*next, ms.size() - 1)]);
                ++*next;
            },
            [cycles](const ConvArgument&) { return cycles; },
            [cycles](const auto&) { return std::optional<double>(cycles); }};
}

struct Ran
{
    std::string out;
    std::vector<Result> results;
    int status;
};

Ran run(const ConvRequest& request, const std::vector<ConvKernel>& kernels, Options options)
{
    std::ostringstream out;
    Report report(options, out);
    profile(request, kernels, options, report);
    EXPECT_EQ(report.progress().done(), report.progress().expected());
    return {out.str(), {report.results().begin(), report.results().end()}, report.status()};
}

Options unverified()
{
    Options options;
    options.verify    = false;
    options.instances = "_Lasts"; // not chosen by the rule
    return options;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(Figures, times_and_rates_are_of_the_clock_the_products_and_the_bytes)
{
    test::StandInClock clock;
    // 2 * 2 images * 20 pixels * 8 * 16 = 10,240 operations; 4 * (320 + 128 + 640) = 4,352 bytes.
    const ConvRequest request = request_of("grouped_conv_fwd", "f32", "n2 c8 k16 in4x5");
    const Ran r = run(request, {lasting(clock, "_Lasts<2>", {2}, 1234.4)}, unverified());
    ASSERT_EQ(r.results.size(), 1u) << r.out;
    const Result& result = r.results[0];
    EXPECT_EQ(result.ms, 2);
    EXPECT_EQ(result.ms_low, 2);
    EXPECT_EQ(result.ms_high, 2);
    EXPECT_EQ(result.flops, 10240);
    EXPECT_EQ(result.bytes, 4352);
    EXPECT_DOUBLE_EQ(result.tflops(), 10240 / 2e-3 / 1e12);
    EXPECT_DOUBLE_EQ(result.gbytes(), 4352 / 2e-3 / 1e9);
    EXPECT_TRUE(
        has(r.out, "Perf:          2 ms, 5.12e-06 TFlops, 0.002176 GB/s, DeviceGroupedConv"))
        << r.out;
    EXPECT_TRUE(has(r.out, "\n    from 2 to 2 ms, workspace 48 bytes, predicted 1234 cycles\n"))
        << r.out;
    EXPECT_TRUE(has(r.out, "\navg_time: 2\ntflops: 5.12e-06\nGB/s: 0.002176\n")) << r.out;
}

TEST(Figures, bytes_are_of_each_tensors_type_and_groups)
{
    test::StandInClock clock;
    // dW of bf16 is f32: 2 groups of 4 x 2 weights of 3x3; X and dY of bf16.
    const ConvRequest request =
        request_of("grouped_conv_bwd_weight", "bf16_f32", "g2 n3 c2 k4 in5x5 f3x3");
    const Ran r = run(request, {lasting(clock, "_Lasts<1>", {1})}, unverified());
    ASSERT_EQ(r.results.size(), 1u) << r.out;
    EXPECT_EQ(r.results[0].bytes, 2 * (3 * 4 * 25) + 4 * (2 * 4 * 2 * 9) + 2 * (3 * 8 * 9));
    EXPECT_EQ(r.results[0].flops, 2. * 3 * 2 * 9 * 4 * 2 * 9);
    EXPECT_EQ(r.results[0].split_k, -1);
    const Ran forward =
        run(request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in3x3 f5x5"), // Y is empty
            {lasting(clock, "_Lasts<1>", {1})},
            unverified());
    ASSERT_EQ(forward.results.size(), 1u) << forward.out;
    EXPECT_EQ(forward.results[0].bytes, 0);
}

TEST(Figures, the_time_is_the_median_of_the_rounds_that_were_asked_for)
{
    test::StandInClock clock;
    Options options = unverified();
    options.rounds  = 5;
    // One launch to look at the result, one for a first look at the time, and five rounds.
    const Ran r = run(request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"),
                      {lasting(clock, "_Lasts<0>", {100, 50, 9, 3, 7, 5, 4, 1000})},
                      options);
    ASSERT_EQ(r.results.size(), 1u) << r.out;
    EXPECT_EQ(r.results[0].ms, 5);
    EXPECT_EQ(r.results[0].ms_low, 3);
    EXPECT_EQ(r.results[0].ms_high, 9);
    EXPECT_TRUE(has(r.out, "\n    from 3 to 9 ms, workspace")) << r.out;
}

TEST(Figures, the_fastest_is_the_best)
{
    for(const std::size_t fastest : {0u, 1u, 2u})
    {
        test::StandInClock clock;
        std::vector<ConvKernel> kernels;
        for(std::size_t i = 0; i < 3; ++i)
            kernels.push_back(lasting(clock,
                                      "_Lasts<" + std::to_string(i) + ">",
                                      {i == fastest ? 1. : 4. + static_cast<double>(i)}));
        const Ran r =
            run(request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"), kernels, unverified());
        ASSERT_EQ(r.results.size(), 3u);
        for(std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(r.results[i].best, i == fastest) << i;
        EXPECT_TRUE(
            std::regex_search(r.out,
                              std::regex("Best configuration parameters:\nname: \\S*_Lasts<" +
                                         std::to_string(fastest) + ">\navg_time: 1\n")))
            << r.out;
    }
}

TEST(Figures, only_instances_that_the_filter_names_run)
{
    test::StandInClock clock;
    Options options   = unverified();
    options.instances = "_Lasts<[13]>";
    std::vector<ConvKernel> kernels;
    for(int i = 1; i <= 4; ++i)
        kernels.push_back(lasting(clock, "_Lasts<" + std::to_string(i) + ">", {1}));
    const Ran r = run(request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"), kernels, options);
    ASSERT_EQ(r.results.size(), 2u) << r.out;
    EXPECT_TRUE(has(r.results[0].instance, "_Lasts<1>"));
    EXPECT_TRUE(has(r.results[1].instance, "_Lasts<3>"));
    EXPECT_TRUE(has(r.out, "\nckProfiler found 4 instances\n    2 of them match '_Lasts<[13]>'\n"))
        << r.out;
    options.instances = "_Lasts";
    const Ran all =
        run(request_of("grouped_conv_bwd_weight", "f16", "n1 c8 k8 in4"), kernels, options);
    EXPECT_EQ(all.results.size(), 4u);
    EXPECT_TRUE(has(all.out, "\nfound 4 instances\nPerf: ")) << all.out;
    EXPECT_TRUE(all.out.starts_with("problem: grouped_conv_bwd_weight f16 nhwgc, n1 c8 k8 in4\n"))
        << all.out;
    ConvRequest named      = request_of("grouped_conv_bwd_weight", "f16", "n1 c8 k8 in4");
    named.problems[0].name = "stem";
    EXPECT_TRUE(has(run(named, kernels, options).out, ", n1 c8 k8 in4 (stem)\n"));
}

TEST(Figures, every_split_of_the_sum_is_told_apart)
{
    test::StandInClock clock;
    ConvRequest request = request_of("grouped_conv_bwd_weight", "f16", "n1 c8 k8 in4");
    request.split_k     = {1, 4};
    ConvKernel kernel   = lasting(clock, "_Lasts<1>", {1});
    kernel.add = [&](const ConvArgument& a, LaunchList&) { clock.advance(a.split_k == 4 ? 1 : 3); };
    const Ran r = run(request, {kernel}, unverified());
    ASSERT_EQ(r.results.size(), 2u) << r.out;
    EXPECT_EQ(r.results[0].split_k, 1);
    EXPECT_EQ(r.results[0].ms, 3);
    EXPECT_EQ(r.results[1].split_k, 4);
    EXPECT_EQ(r.results[1].ms, 1);
    EXPECT_TRUE(r.results[1].best);
    EXPECT_TRUE(has(r.out, "_Lasts<1>, SplitK 4, emulated on the CPU\n")) << r.out;
}

TEST(Figures, printed_tensors_are_the_operands_and_the_result)
{
    Options options      = unverified();
    options.print_tensor = true;
    options.time         = false;
    options.fill         = Fill::integer;
    for(const char* operation :
        {"grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight"})
    {
        test::StandInClock clock;
        ConvKernel kernel = lasting(clock, "_Lasts<1>", {1});
        kernel.add        = [](const ConvArgument& a, LaunchList&) {
            for(int i = 0; i < 3; ++i)
                static_cast<float*>(a.c)[i] =
                    static_cast<float>(i + 1) * *static_cast<const float*>(a.a[0]) +
                    100 * *static_cast<const float*>(a.b[0]);
        };
        // X of 3 numbers, a weight, Y of 3; of backward weight 3 weights, X of 3 and one number of
        // dY.
        const bool weight = operation == std::string("grouped_conv_bwd_weight");
        const ConvRequest request =
            request_of(operation, "f32", weight ? "n1 c1 k1 in3 f3" : "n1 c1 k1 in3");
        const Ran r           = run(request, {kernel}, options);
        const NumberType& f32 = number_type("f32");
        std::smatch found;
        ASSERT_TRUE(std::regex_search(r.out,
                                      found,
                                      std::regex("\nfirst operand: \\{(.*)\\}\nsecond operand: "
                                                 "\\{(.*)\\}\n[^]*\nresult: \\{(.*)\\}\n")))
            << r.out;
        const auto numbers = [](const std::string& text) {
            std::vector<double> all;
            std::istringstream in(std::regex_replace(text, std::regex(","), " "));
            for(double value = 0; in >> value;)
                all.push_back(value);
            return all;
        };
        const std::vector<double> one = numbers(found[1]), two = numbers(found[2]),
                                  result = numbers(found[3]);
        EXPECT_EQ(one.size() + two.size(), 4u) << r.out;
        EXPECT_EQ(one, Block(Fill::integer, 0, static_cast<long>(one.size()), f32).values());
        EXPECT_EQ(two, Block(Fill::integer, 1, static_cast<long>(two.size()), f32).values());
        // In the order X, W, Y: of backward data W then dY, of backward weight X then dY; kernels
        // take dY as A.
        const bool forward          = operation == std::string("grouped_conv_fwd");
        const std::vector<double>&a = forward ? one : two, &b = forward ? two : one;
        ASSERT_EQ(result.size(), 3u) << r.out;
        for(std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(result[i], static_cast<double>(i + 1) * a[0] + 100 * b[0]) << operation << i;
    }
}

TEST(Figures, refusals_are_counted_and_their_reasons_kept)
{
    test::StandInClock clock;
    ConvKernel refusing = lasting(clock, "_Lasts<1>", {1});
    refusing.supports   = [](const ConvArgument&) { return refused("it is Monday"); };
    Options options     = unverified();
    options.why         = true;
    std::ostringstream out;
    Report report(options, out);
    const ConvKernel kernels[] = {refusing};
    profile(request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"), kernels, options, report);
    ASSERT_EQ(report.refusals().size(), 1u);
    EXPECT_EQ(report.refusals()[0].why, "it is Monday");
    EXPECT_EQ(report.status(), 1);
    EXPECT_TRUE(has(out.str(), "_Lasts<1> does not support this problem\n    it is Monday\n"))
        << out.str();
    EXPECT_TRUE(has(out.str(), "Best configuration parameters: none\n")) << out.str();
}

/// Three ways, of 5 ms and 3, and one that does not run.
class SlowRival final : public Rival
{
public:
    static inline test::StandInClock* clock = nullptr;
    static inline std::vector<ConvTensors> sets{};

    static std::unique_ptr<Rival>
    make(const ConvRequest&, const ConvProblem& p, const ConvTensors& some)
    {
        if(p.batch == 7)
            throw std::runtime_error("it does not compute batches of 7");
        EXPECT_NE(some.y, nullptr);
        return std::make_unique<SlowRival>();
    }
    std::string name() const override { return "slow 1.2"; }
    std::span<const RivalWay> ways() const override { return ways_; }
    void launch(std::size_t way, hipStream_t, const ConvTensors& tensors) override
    {
        sets.push_back(tensors);
        if(way == 2)
            throw std::runtime_error("it is broken");
        clock->advance(way == 0 ? 5 : 3);
    }

private:
    std::vector<RivalWay> ways_{{"first", 0}, {"second", 0}, {"third", 0}};
};

TEST(Figures, beside_a_rival_the_fastest_of_both_sides_are_compared)
{
    test::StandInClock clock;
    SlowRival::clock = &clock;
    const AddedRival added("slow", SlowRival::make);
    ASSERT_EQ(rivals().back(), std::string("slow"));
    Options options = unverified();
    options.rival   = "slow";
    options.rounds  = 3;
    const Ran r     = run(request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"),
                      {lasting(clock, "_Lasts<4>", {4}), lasting(clock, "_Lasts<2>", {2})},
                      options);
    ASSERT_EQ(r.results.size(), 2u) << r.out;
    EXPECT_FALSE(r.results[0].best);
    EXPECT_TRUE(r.results[1].best);
    EXPECT_EQ(r.results[1].ms, 2);
    EXPECT_FALSE(r.results[0].rival);
    ASSERT_TRUE(r.results[1].rival);
    const RivalResult& rival = *r.results[1].rival;
    EXPECT_EQ(rival.name, "slow 1.2");
    EXPECT_EQ(rival.way, "second");
    EXPECT_EQ(rival.ms, 3);
    EXPECT_EQ(rival.ratio, 1.5);
    EXPECT_EQ(rival.ratio_low, 1.5);
    EXPECT_EQ(rival.ratio_high, 1.5);
    EXPECT_TRUE(has(r.out, "    third is left out: it is broken\n")) << r.out;
    EXPECT_FALSE(has(r.out, "first is left out")) << r.out;
    EXPECT_TRUE(
        has(r.out, "\nrival: slow 1.2, second: 3 ms, 1.5 times as long as ours (1.5 to 1.5)\n"))
        << r.out;
    ASSERT_FALSE(SlowRival::sets.empty());
    EXPECT_NE(SlowRival::sets[0].x, nullptr);
    EXPECT_NE(SlowRival::sets[0].x, SlowRival::sets[0].y);
}

TEST(Figures, an_added_rival_is_there_for_as_long_as_it_lives)
{
    const std::vector<const char*> before = rivals();
    {
        const AddedRival added("one", SlowRival::make);
        const AddedRival another("other", SlowRival::make);
        EXPECT_EQ(rivals().size(), before.size() + 2);
    }
    EXPECT_EQ(rivals(), before);
    EXPECT_THROW(make_rival("one", request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"), {}, {}),
                 WrongArgument);
}

TEST(Figures, without_a_rival_ours_are_timed_alone)
{
    test::StandInClock clock;
    const AddedRival added("slow", SlowRival::make);
    Options options = unverified();
    options.rival   = "slow";
    options.rounds  = 3;
    const Ran r     = run(request_of("grouped_conv_fwd", "f16", "n7 c8 k8 in4"),
                      {lasting(clock, "_Lasts<4>", {4}), lasting(clock, "_Lasts<2>", {2})},
                      options);
    EXPECT_TRUE(has(r.out, "\nno rival: it does not compute batches of 7\n")) << r.out;
    ASSERT_EQ(r.results.size(), 2u);
    EXPECT_TRUE(r.results[1].best);
    EXPECT_EQ(r.results[1].ms, 2);
    EXPECT_FALSE(r.results[1].rival);
    EXPECT_THROW(make_rival("fast", request_of("grouped_conv_fwd", "f16", "n1 c8 k8 in4"), {}, {}),
                 WrongArgument);
}

} // namespace
} // namespace ck::profiler
