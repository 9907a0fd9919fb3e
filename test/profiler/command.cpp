#include "command.hpp"

#include <gtest/gtest.h>

#include "profiler/refusal.hpp"
#include "rival.hpp"
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ck::profiler {
namespace {

Command read(const std::vector<std::string>& words)
{
    std::vector<const char*> argv{"ckProfiler"};
    for(const std::string& word : words)
        argv.push_back(word.c_str());
    std::ostringstream out;
    std::optional<Command> command = read_command(static_cast<int>(argv.size()), argv.data(), out);
    return command ? *std::move(command) : Command{};
}

/// Each option, by its words: whether a command has its value.
TEST(Options, EachSetsItsFieldAndNoOther)
{
    using Set                                                = std::function<bool(const Command&)>;
    const std::pair<std::vector<std::string>, Set> options[] = {
        {{"--problem", "one", "--problem", "two"},
         [](auto& c) {
             return c.problems == std::vector<std::string>{"one", "two"};
         }},
        {{"--problems", "file"}, [](auto& c) { return c.file == "file"; }},
        {{"--filter", "part"}, [](auto& c) { return c.filter == "part"; }},
        {{"--miopen", "conv -n 1"}, [](auto& c) { return c.miopen == "conv -n 1"; }},
        {{"--order", "2024"}, [](auto& c) { return c.order == "2024"; }},
        {{"--order=2024"}, [](auto& c) { return c.options.order_2024; }},
        {{"--type", "bf16"}, [](auto& c) { return c.type == "bf16"; }},
        {{"--layout", "nchw"}, [](auto& c) { return c.layout == "nchw"; }},
        {{"--elementwise", "convscale"}, [](auto& c) { return c.elementwise == "convscale"; }},
        {{"--split-k", "8"}, [](auto& c) { return c.split_k == "8"; }},
        {{"--direction", "backward_data"}, [](auto& c) { return c.direction == "backward_data"; }},
        {{"--seconds", "0"}, [](auto& c) { return c.seconds == 0.; }},
        {{"--seconds", "1e8"}, [](auto& c) { return c.seconds == 1e8; }},
        {{"--slower", "1"}, [](auto& c) { return c.slower == 1; }},
        {{"--slower", "1e9"}, [](auto& c) { return c.slower == 1e9; }},
        {{"--again"}, [](auto& c) { return c.again; }},
        {{"--instances", "Xdl"}, [](auto& c) { return c.options.instances == "Xdl"; }},
        {{"--init", "zero"}, [](auto& c) { return c.options.fill == Fill::zero; }},
        {{"--init", "integer"}, [](auto& c) { return c.options.fill == Fill::integer; }},
        {{"--init", "decimal"}, [](auto& c) { return c.options.fill == Fill::decimal; }},
        {{"--no-verify"}, [](auto& c) { return !c.options.verify; }},
        {{"--no-time"}, [](auto& c) { return !c.options.time; }},
        {{"--print-tensor"}, [](auto& c) { return c.options.print_tensor; }},
        {{"--why"}, [](auto& c) { return c.options.why; }},
        {{"--warm-cache"}, [](auto& c) { return c.options.warm_cache; }},
        {{"--rounds", "1"}, [](auto& c) { return c.options.rounds == 1; }},
        {{"--rounds", "100000"}, [](auto& c) { return c.options.rounds == 100000; }},
        {{"--warm-up", "0"}, [](auto& c) { return c.options.warm_up == 0; }},
        {{"--warm-up", "60"}, [](auto& c) { return c.options.warm_up == 60; }},
        {{"--json", "a"}, [](auto& c) { return c.options.json == "a"; }},
        {{"--csv", "b"}, [](auto& c) { return c.options.csv == "b"; }},
        {{"--times", "c"}, [](auto& c) { return c.options.times == "c"; }}};
    for(const auto& [given, given_is_set] : options)
    {
        const Command c = read(given);
        EXPECT_TRUE(given_is_set(c)) << given[0];
        for(const auto& [words, is_set] : options)
            EXPECT_TRUE(words[0].substr(0, 7) == given[0].substr(0, 7) || !is_set(c))
                << words[0] << " by " << given[0];
    }
    const Command normal = read({"--init", "normal", "--direction", "all", "--order", "2026"});
    EXPECT_EQ(normal.options.fill, Fill::normal);
    for(const auto& [words, is_set] : options)
        EXPECT_FALSE(is_set(normal)) << words[0];
}

TEST(Options, OutsideTheirRangesAreRefused)
{
    for(const auto& given :
        std::initializer_list<std::pair<const char*, const char*>>{{"--seconds", "-0.5"},
                                                                   {"--seconds", "1.01e8"},
                                                                   {"--slower", "0.99"},
                                                                   {"--slower", "1.01e9"},
                                                                   {"--rounds", "0"},
                                                                   {"--rounds", "100001"},
                                                                   {"--warm-up", "-0.1"},
                                                                   {"--warm-up", "60.5"},
                                                                   {"--order", "2025"},
                                                                   {"--direction", "sideways"},
                                                                   {"--init", "twos"},
                                                                   {"--rival", "none"},
                                                                   {"--instances", "(("}})
        EXPECT_NE(test::refusal_of([&] {
                      read({given.first, given.second});
                  }).find(given.first),
                  std::string::npos)
            << given.first << ' ' << given.second;
}

TEST(Options, RivalsOfThisProgramAreListed)
{
    const auto refusal = [] { return test::refusal_of([] { read({"--rival", "third"}); }); };
    const auto none    = [](const ConvRequest&, const ConvProblem&, const ConvTensors&) {
        return std::unique_ptr<Rival>();
    };
    const std::string before = refusal();
    const AddedRival first("first", none), second("second", none);
    EXPECT_EQ(read({"--rival", "second"}).options.rival, "second");
    EXPECT_TRUE(refusal().ends_with("first, second")) << refusal();
    const std::string made = test::refusal_of([] { make_rival("third", {}, {}, {}); });
    EXPECT_TRUE(made.starts_with("the rival is 'third', but this program was built with ")) << made;
    EXPECT_TRUE(made.ends_with("first, second")) << made;
    EXPECT_TRUE(refusal().starts_with("--rival is 'third', but must be one of ")) << refusal();
    if(rivals().size() == 2)
    {
        EXPECT_EQ(before, "--rival is 'third', but this program was built without any");
        EXPECT_EQ(refusal(), "--rival is 'third', but must be one of first, second");
        EXPECT_TRUE(made.ends_with("with first, second")) << made;
    }
}

TEST(Options, ComeBeforeAndAfterTheOperationAndItsNumbers)
{
    const Command c =
        read({"--type", "f32", "--why", "conv_fwd", "-1", "2,-3", "all", "", "--layout", "nchw"});
    EXPECT_EQ(c.operation, "conv_fwd");
    EXPECT_EQ(c.positions, (std::vector<std::string>{"-1", "2,-3", "all", ""}));
    EXPECT_EQ(c.type + c.layout, "f32nchw");
    EXPECT_TRUE(c.options.why);
    EXPECT_EQ(read({}).operation, "");
    EXPECT_EQ(read({"--type=f32"}).operation, "");
}

} // namespace
} // namespace ck::profiler
