#include "request.hpp"

#include <gtest/gtest.h>

#include "command.hpp"
#include "conv_command.hpp"
#include "operation_table.hpp"
#include "operations.hpp"
#include "problem_text.hpp"
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

TEST(Layouts, names)
{
    for(const Layout layout : {Layout::gnhwc, Layout::nhwgc, Layout::ngchw, Layout::nchw})
        EXPECT_EQ(layout_from_name(name(layout)), layout);
    EXPECT_EQ(layout_from_name("NHWC"), Layout::nhwgc);
    EXPECT_STREQ(name(static_cast<Layout>(99)), "unknown layout");
    EXPECT_EQ(test::refusal_of([] { layout_from_name("chwn"); }),
              "the layout is 'chwn', but must be one of gnhwc, nhwgc (or nhwc), ngchw (filters "
              "GKYXC), nchw (filters GKCYX)");
}

TEST(Layouts, strides)
{
    ConvProblem p = problem_from_text("g2 n3 c4 k5 in7x6 f2x1");
    set_strides(p, Layout::gnhwc);
    EXPECT_EQ(p.input_strides, (TensorStrides{3 * 42 * 4, 42 * 4, 1, 42 * 4, 6 * 4, 4}));
    EXPECT_EQ(p.filter_strides, (TensorStrides{5 * 2 * 4, 2 * 4, 1, 2 * 4, 4, 4}));
    set_strides(p, Layout::nhwgc);
    EXPECT_EQ(p.input_strides, (TensorStrides{4, 42 * 8, 1, 42 * 8, 6 * 8, 8}));
    set_strides(p, Layout::ngchw);
    EXPECT_EQ(p.input_strides, (TensorStrides{4 * 42, 8 * 42, 42, 42, 6, 1}));
    EXPECT_EQ(p.filter_strides[2], 1);
    EXPECT_EQ(p.output_strides, (TensorStrides{5 * 36, 10 * 36, 36, 36, 6, 1}));
    set_strides(p, Layout::nchw);
    EXPECT_EQ(p.filter_strides, (TensorStrides{5 * 8, 8, 2, 2, 1, 1}));
}

TEST(Kinds, of_problems)
{
    const auto kind = [](const char* text) {
        return NamedProblem{"", problem_from_text(text)}.kind();
    };
    EXPECT_EQ(kind("n1 c128 k128 in9x9 f3 p1"), "large");
    EXPECT_EQ(kind("n1 c128 k128 in9x9x9 f3 p1"), "1D, 3D");
    EXPECT_EQ(kind("n1 c64 k128 in9x9 f3 p1"), "narrow");
    EXPECT_EQ(kind("n1 c128 k128 in9x9"), "1x1");
    EXPECT_EQ(kind("n1 c128 k128 in9x9 f3 s2"), "strided");
    EXPECT_EQ(kind("n1 c128 k128 in9x9 f3 s2 d2"), "dilated");
    EXPECT_EQ(kind("n1 c3 k128 in9x9 f3"), "odd channels");
    EXPECT_EQ(kind("g4 n1 c8 k8 in9x9 f3"), "grouped");
    EXPECT_EQ(kind("g4 n1 c1 k1 in9x9 f3"), "depthwise");
}

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

TEST(Options, HelpNamesTheTypesOfEachVariant)
{
    const std::string plain = describe_conv("conv_fwd"),
                      two   = describe_conv("grouped_conv_fwd_outelementop");
    for(const ConvOperation& o : conv_operations())
    {
        std::string line = *o.variant == '\0' ? "\n  " : "\n  " + std::string(o.variant) + ": ";
        for(const Types& types : o.types)
            line += types.name + std::string(" ");
        EXPECT_NE((describe_conv(o.name) + '\n').find(line + '\n'), std::string::npos)
            << o.name << line;
    }
    const auto types_of = [](const char* operation) {
        const std::string text = describe_conv(operation), before = "--elementwise:\n";
        std::istringstream in(text.substr(text.find(before) + before.size()));
        std::string line;
        std::getline(in, line);
        return line;
    };
    EXPECT_EQ(types_of("conv_fwd"), "  f32 f16 bf16 i8 ");
    EXPECT_EQ(types_of("grouped_conv_fwd"),
              "  f32 f16 bf16 i8 f8 bf8 f8_bf8 bf8_f8 tf32 f16_as_f8 f64 f8_ocp bf8_ocp f8_bf8_ocp "
              "bf8_f8_ocp ");
    EXPECT_EQ(types_of("grouped_conv_bwd_data"), "  f32 f16 bf16 tf32 i8 f16_as_bf8_f8 f64 ");
    EXPECT_EQ(types_of("grouped_conv_bwd_weight"),
              "  f32 f16 bf16_f32 f16_as_bf8_f8 i8 bf16 tf32 f64 ");
    EXPECT_EQ(types_of("grouped_conv_fwd_clamp"), "  f32 f16 bf16 tf32 ");
    EXPECT_NE(plain.find("--elementwise:\n  f32 f16 "), plain.npos) << plain;
    EXPECT_NE(two.find("\n  convscale: "), two.npos) << two;
}

TEST(Options, HelpDescribesEachPosition)
{
    EXPECT_TRUE(
        describe_operation("conv_fwd_bias_relu")
            .starts_with("conv_fwd_bias_relu, numbers by position:\n"
                         "  1  data type: 1 f16\n"
                         "  2  input layout: 1 nhwgc\n"
                         "  3  weight layout: 1 nhwgc\n"
                         "  4  output layout: 1 nhwgc\n"
                         "  5  verification: 0 no, 1 yes\n"
                         "  6  initialization: 0 zeros, 1 integers, 2 decimal numbers\n"
                         "  7  print tensors: 0 no, 1 yes\n"
                         "  8  time kernels: 0 no, 1 yes\n"
                         "  then  N K C Y X Hi Wi Sy Sx Dy Dx LeftPy LeftPx RightPy RightPx\n"))
        << describe_operation("conv_fwd_bias_relu");
    EXPECT_TRUE(
        describe_operation("grouped_conv_fwd")
            .starts_with(
                "grouped_conv_fwd, numbers by position:\n"
                "  1  data type: 0 f32, 1 f16, 2 bf16, 3 i8, 4 f8, 5 bf8, 6 f8_bf8, 7 bf8_f8, 8 "
                "tf32\n"
                "  2  tensor layout: 0 gnhwc, 1 nhwgc, 2 ngchw, 3 nchw\n"
                "  3  index type: 0 32 bit, 1 64 bit\n"
                "  4  verification: 0 no, 1 yes\n"
                "  5  initialization: 0 zeros, 1 integers, 2 decimal numbers\n"
                "  6  print tensors: 0 no, 1 yes\n"
                "  7  time kernels: 0 no, 1 yes\n"
                "  then  spatial dimensions, G, N, K, C (K, C of a group) and, each as [D] H W:\n"
                "        filter lengths, input lengths, strides, dilations, left pads, right "
                "pads\n"))
        << describe_operation("grouped_conv_fwd");
    EXPECT_TRUE(
        describe_operation("grouped_conv_bwd_weight")
            .starts_with(
                "grouped_conv_bwd_weight, numbers by position:\n"
                "  1  data type: 0 f32, 1 f16, 2 bf16_f32, 3 f16_as_bf8_f8, 4 i8, 5 bf16, 6 tf32\n"
                "  2  tensor layout: 1 gnhwc, 2 nhwgc, 3 ngchw, 4 nchw\n"
                "  3  verification: 0 no, 1 yes\n"
                "  4  initialization: 0 zeros, 1 integers, 2 decimal numbers\n"
                "  5  print tensors: 0 no, 1 yes\n"
                "  6  time kernels: 0 no, 1 yes\n"
                "  then  spatial dimensions, G, N, K, C (K, C of a group) and, each as [D] H W:\n"
                "        filter lengths, input lengths, strides, dilations, left pads, right pads\n"
                "  last  split_k: the number of partial sums; -1 takes the number that is "
                "predicted to be the fastest; all (or 0; with --order 2024 also -1) tries 1, 2, 4 "
                "... 128\n"))
        << describe_operation("grouped_conv_bwd_weight");
    EXPECT_TRUE(
        describe_operation("grouped_gemm")
            .starts_with(
                "grouped_gemm, numbers by position:\n"
                "  1  data type: 0 f32, 1 f16, 2 bf16, 3 i8\n"
                "  2  layout: 0 mk_kn_mn, 1 mk_nk_mn, 2 km_kn_mn, 3 km_nk_mn (A, B, C; km and kn: "
                "m and n are contiguous)\n"
                "  3  verification: 0 no, 1 yes\n"
                "  4  initialization: 0 zeros, 1 integers, 2 decimal numbers\n"
                "  5  print tensors: 0 no, 1 yes\n"
                "  6  time kernels: 0 no, 1 yes\n"
                "  7  Ms: with commas between them, a number a GEMM\n"
                "  8  Ns: with commas between them, a number a GEMM\n"
                "  9  Ks: with commas between them, a number a GEMM\n"
                "  10  StrideAs: with commas between them, a number a GEMM; 0 or -1: packed\n"
                "  11  StrideBs: with commas between them, a number a GEMM; 0 or -1: packed\n"
                "  12  StrideCs: with commas between them, a number a GEMM; 0 or -1: packed\n"
                "  13  kbatch: 1, which may be left out\n"))
        << describe_operation("grouped_gemm");
    EXPECT_TRUE(
        describe_operation("conv_tensor_rearrange")
            .starts_with(
                "conv_tensor_rearrange, numbers by position:\n"
                "  1  data type: 0 f32, 1 f16, 2 bf16, 3 i8\n"
                "  2  layout: 0 gnhwc, 1 nhwgc\n"
                "  3  verification: 0 no, 1 yes\n"
                "  4  initialization: 0 zeros, 1 integers, 2 decimal numbers\n"
                "  5  print tensors: 0 no, 1 yes\n"
                "  6  time kernels: 0 no, 1 yes\n"
                "  7  operation: 0 im2col, 1 col2im\n"
                "  then  spatial dimensions, G, N, K, C (K: any; C of a group) and, each as [D] H "
                "W:\n"
                "        filter lengths, input lengths, strides, dilations, left pads, right pads\n"
                "With --problem both operations run.\n"))
        << describe_operation("conv_tensor_rearrange");
    EXPECT_TRUE(describe_operation("conv_fwd")
                    .starts_with("conv_fwd, numbers by position:\n"
                                 "  1  data type: 0 f32, 1 f16, 2 bf16, 3 i8\n"
                                 "  2  tensor layout: 1 nhwgc\n"
                                 "  3  verification: "))
        << describe_operation("conv_fwd");
    EXPECT_TRUE(describe_operation("conv_bwd_data")
                    .starts_with("conv_bwd_data, numbers by position:\n"
                                 "  1  data type: 0 f32, 1 f16, 2 bf16, 3 i8\n"
                                 "  2  tensor layout: 1 nhwgc\n"
                                 "  3  verification: "))
        << describe_operation("conv_bwd_data");
    EXPECT_TRUE(describe_operation("grouped_conv_fwd_clamp")
                    .starts_with("grouped_conv_fwd_clamp, numbers by position:\n"
                                 "  1  data type: 0 f32, 1 f16, 2 bf16, 8 tf32\n"
                                 "  2  tensor layout: 0 gnhwc, 1 nhwgc, 2 ngchw, 3 nchw\n"
                                 "  3  index type: 0 32 bit, 1 64 bit\n"
                                 "  4  verification: "))
        << describe_operation("grouped_conv_fwd_clamp");
    EXPECT_TRUE(describe_operation("grouped_conv_fwd_bias_clamp")
                    .starts_with("grouped_conv_fwd_bias_clamp, numbers by position:\n"
                                 "  1  data type: 0 f32, 1 f16, 2 bf16, 8 tf32\n"
                                 "  2  tensor layout: 0 gnhwc, 1 nhwgc, 2 ngchw, 3 nchw\n"
                                 "  3  index type: 0 32 bit, 1 64 bit\n"
                                 "  4  verification: "))
        << describe_operation("grouped_conv_fwd_bias_clamp");
    EXPECT_TRUE(describe_operation("grouped_conv_fwd_outelementop")
                    .starts_with("grouped_conv_fwd_outelementop, numbers by position:\n"
                                 "  1  data type: 0 f8, 1 bf8, 2 f8_bf8, 3 bf8_f8\n"
                                 "  2  element-wise operation: 0 convscale, 1 convinvscale\n"
                                 "  3  tensor layout: 1 nhwgc\n"
                                 "  4  verification: "))
        << describe_operation("grouped_conv_fwd_outelementop");
    EXPECT_TRUE(describe_operation("grouped_conv_bwd_data")
                    .starts_with("grouped_conv_bwd_data, numbers by position:\n"
                                 "  1  data type: 0 f32, 1 f16, 2 bf16, 3 tf32\n"
                                 "  2  tensor layout: 0 gnhwc, 1 nhwgc, 2 ngchw, 3 nchw\n"
                                 "  3  verification: "))
        << describe_operation("grouped_conv_bwd_data");
    EXPECT_TRUE(describe_operation("tune").starts_with(
        "tune FILE [options]: measures which kernels are the fastest, and keeps them for "))
        << describe_operation("tune");
    EXPECT_TRUE(describe_operation("calibrate").starts_with("calibrate [FILE] [options]: "))
        << describe_operation("calibrate");
    EXPECT_EQ(describe_operation("no operation"), list_operations());
    EXPECT_EQ(list_operations(),
              "arg1: tensor operation {\n"
              "    conv_fwd: Convolution Forward\n"
              "    conv_fwd_bias_relu: Convolution Forward + Bias + ReLU\n"
              "    conv_fwd_bias_relu_add: Convolution Forward + Bias + ReLU + Add\n"
              "    conv_bwd_data: Convolution Backward Data\n"
              "    grouped_conv_fwd: Grouped Convolution Forward\n"
              "    grouped_conv_fwd_clamp: Grouped Convolution Forward + Clamp\n"
              "    grouped_conv_fwd_bias_clamp: Grouped Convolution Forward + Bias + Clamp\n"
              "    grouped_conv_fwd_outelementop: Grouped Convolution Forward + Elementwise "
              "Operation on Y\n"
              "    grouped_conv_bwd_data: Grouped Convolution Backward Data\n"
              "    grouped_conv_bwd_weight: Grouped Convolution Backward Weight\n"
              "    grouped_gemm: Grouped GEMM\n"
              "    conv_tensor_rearrange: Convolution Image to Column and Back\n"
              "    tune: Measures Kernels for ck::plan\n"
              "    calibrate: Measures this Device for ck::plan's Predictions\n"
              "}\n");
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
