#include "miopen.hpp"

#include <gtest/gtest.h>

#include "operations.hpp"
#include "problem_text.hpp"
#include "profiler/refusal.hpp"
#include <algorithm>
#include <array>

namespace ck::profiler {
namespace {

TEST(MIOpen, a_line_of_a_log)
{
    const auto all = requests_from_miopen(
        "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver convbfp16 -n 128 -c 64 -H 56 "
        "-W 55 -k 32 -y 3 -x 2 -p 1 -q 0 -u 2 -v 1 -l 1 -j 3 -m conv -g 1 -F 1 -t 1");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].operation, "grouped_conv_fwd");
    EXPECT_EQ(all[0].type, "bf16");
    EXPECT_EQ(all[0].layout, Layout::nchw);
    const ConvProblem& p = all[0].problems.at(0).problem;
    EXPECT_EQ(to_text(p), "n128 c64 k32 in56x55 f3x2 s2x1 d1x3 p1x0");
    // A dimension that does not exist changes nothing.
    EXPECT_EQ(p.input, (Spatial{1, 56, 55}));
    EXPECT_EQ(p.filter, (Spatial{1, 3, 2}));
    EXPECT_EQ(p.stride, (Spatial{1, 2, 1}));
    EXPECT_EQ(p.dilation, (Spatial{1, 1, 3}));
    EXPECT_EQ(p.pad_low, (Spatial{0, 1, 0}));
    EXPECT_EQ(p.pad_high, (Spatial{0, 1, 0}));
    const ConvOperation& operation = *find_conv_operation("grouped_conv_fwd");
    const auto expected            = family_of(operation, find_types(operation, "bf16"));
    EXPECT_NE(expected.a, "");
    EXPECT_EQ(all[0].family.a, expected.a);
    EXPECT_EQ(all[0].family.direction, expected.direction);
    EXPECT_EQ(p.input_strides,
              (TensorStrides{64 * 56 * 55, 64 * 56 * 55, 56 * 55, 56 * 55, 55, 1}));
    EXPECT_EQ(p.filter_strides, (TensorStrides{32 * 64 * 6, 64 * 6, 6, 6, 2, 1}));
}

TEST(MIOpen, channels_are_those_of_all_groups)
{
    const auto all = requests_from_miopen("conv -n 2 -c 32 -H 9 -W 9 -k 64 -y 3 -x 3 -p 1 -q 1 -g "
                                          "16 -F 4 --in_layout NHWC --fil_layout NHWC "
                                          "--out_layout NHWC");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].operation, "grouped_conv_bwd_weight");
    EXPECT_EQ(all[0].type, "f32");
    EXPECT_EQ(all[0].layout, Layout::nhwgc);
    EXPECT_EQ(all[0].split_k, std::vector<index_t>{-1});
    EXPECT_EQ(to_text(all[0].problems.at(0).problem), "g16 n2 c2 k4 in9x9 f3 p1");
}

TEST(MIOpen, three_dimensions_and_long_names)
{
    const auto all = requests_from_miopen(
        "MIOpenDriver convfp16 --batchsize 2 --in_channels=4 --in_d 8 --in_h 7 --in_w 6 "
        "--out_channels 8 --fil_d 3 --fil_h 2 --fil_w 1 --pad_d 1 --pad_h 0 --pad_w 0 "
        "--conv_stride_d 2 --conv_stride_h 1 --conv_stride_w 1 --dilation_d 1 --spatial_dim 3 "
        "--forw 2");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].operation, "grouped_conv_bwd_data");
    EXPECT_EQ(to_text(all[0].problems.at(0).problem), "n2 c4 k8 in8x7x6 f3x2x1 s2x1x1 p1x0x0");
}

TEST(MIOpen, programs_by_any_path_and_types)
{
    for(const char* program : {"MIOpenDriver.exe",
                               "./bin/MIOpenDriver",
                               "/opt/rocm/bin/MIOpenDriver",
                               "C:\\rocm\\MIOpenDriver.exe",
                               "HIP_VISIBLE_DEVICES=0 ./MIOpenDriver"})
        for(const auto& [command, type] : {std::pair("conv", "f32"),
                                           std::pair("convbfp16", "bf16"),
                                           std::pair("convint8", "i8"),
                                           std::pair("convfp8", "f8"),
                                           std::pair("convbfp8", "bf8")})
        {
            const auto all = requests_from_miopen(std::string(program) + " " + command + " -F 1");
            ASSERT_EQ(all.size(), 1u) << program;
            EXPECT_EQ(all[0].type, type) << program;
        }
}

TEST(MIOpen, without_a_direction_all_that_have_the_type_are_timed)
{
    for(const char* command : {"conv", "convfp16", "convbfp16", "convint8", "convfp8", "convbfp8"})
        for(const char* mode : {"conv", "trans"})
        {
            const std::string line = std::string(command) + " -c 4 -k 4 -m " + mode;
            std::vector<std::string> operations;
            for(const char* one : {" -F 1", " -F 2", " -F 4"})
            {
                std::vector<ConvRequest> asked;
                const std::string why =
                    test::refusal_of([&] { asked = requests_from_miopen(line + one); });
                if(!asked.empty())
                    operations.push_back(asked.at(0).operation);
                else
                {
                    EXPECT_NE(why.find("type"), std::string::npos) << why;
                }
            }
            ASSERT_FALSE(operations.empty()) << line << ": every type has a forward convolution";
            for(const char* all : {"", " -F 0"})
            {
                std::vector<std::string> found;
                testing::internal::CaptureStderr();
                for(const ConvRequest& request : requests_from_miopen(line + all))
                    found.push_back(request.operation);
                const std::string left_out = testing::internal::GetCapturedStderr();
                EXPECT_EQ(found, operations) << line << all;
                EXPECT_EQ(std::count(left_out.begin(), left_out.end(), '\n'),
                          3 - static_cast<std::ptrdiff_t>(found.size()))
                    << "a line for each: " << left_out;
                EXPECT_EQ(left_out.find("left out: the type is '") == 0, found.size() < 3);
            }
        }
}

TEST(MIOpen, transposed_convolutions_are_gradients)
{
    const std::string line = "convfp16 -m trans -n 2 -c 8 -k 4 -H 5 -W 6 -y 3 -x 3 -u 2 -v 2 -p 1 "
                             "-q 1 --trans_output_pad_h 1 -F ";
    const auto forward     = requests_from_miopen(line + "1");
    ASSERT_EQ(forward.size(), 1u);
    EXPECT_EQ(forward[0].operation, "grouped_conv_bwd_data");
    EXPECT_EQ(to_text(forward[0].problems.at(0).problem), "n2 c4 k8 in10x11 f3 s2 p1");
    EXPECT_EQ(forward[0].problems.at(0).problem.input, (Spatial{1, 10, 11}));
    EXPECT_EQ(requests_from_miopen(line + "2").at(0).operation, "grouped_conv_fwd");
    // In 2D, an output pad of D has no effect.
    const auto with_d = requests_from_miopen(line + "1 --trans_output_pad_d 1");
    EXPECT_EQ(with_d.at(0).problems.at(0).problem.input, (Spatial{1, 10, 11}));
    // An output pad of a stride and more, which a dilation allows: no further window.
    const auto dilated =
        requests_from_miopen("convfp16 -m trans -n 1 -c 8 -k 8 -H 5 -W 5 -y 3 -x 3 "
                             "-u 1 -v 1 -l 2 -j 2 -p 0 -q 0 "
                             "--trans_output_pad_h 1 -F 1");
    const ConvProblem p = dilated.at(0).problems.at(0).problem;
    EXPECT_EQ(p.input, (Spatial{1, 10, 9}));
    EXPECT_EQ(p.output(), (Spatial{1, 5, 5}));
    // Of 5 rows of pad two strides of 2 are no windows, one row is none either.
    const ConvProblem strided =
        requests_from_miopen("convfp16 -m trans -n 1 -c 8 -k 8 -H 5 -W 5 -y 3 -x 3 -u 2 -v 2 "
                             "-l 8 -j 8 -p 0 -q 0 --trans_output_pad_h 5 -F 1")
            .at(0)
            .problems.at(0)
            .problem;
    EXPECT_EQ(strided.input, (Spatial{1, 30, 25}));
    EXPECT_EQ(strided.pad_high, (Spatial{0, -4, 0}));
    EXPECT_EQ(strided.output(), (Spatial{1, 5, 5}));
    EXPECT_EQ(requests_from_miopen(line + "4").at(0).operation, "grouped_conv_bwd_weight");
}

TEST(MIOpen, directions)
{
    const auto count = [](const char* f) {
        return requests_from_miopen(std::string("conv -c 4 -k 4 -F ") + f).size();
    };
    EXPECT_EQ(count("0"), 3u);
    EXPECT_EQ(count("1"), 1u);
    EXPECT_EQ(count("3"), 2u);
    EXPECT_EQ(count("7"), 3u);
    EXPECT_EQ(requests_from_miopen("conv -F 6").at(0).operation, "grouped_conv_bwd_data");
}

TEST(MIOpen, defaults_are_its_own)
{
    EXPECT_EQ(to_text(requests_from_miopen("conv -F 1").at(0).problems.at(0).problem),
              "n100 c3 k32 in32x32 f3");
}

TEST(MIOpen, values_that_ask_for_something_else_are_refused)
{
    const auto refusal = [](const std::string& flag) {
        return test::refusal_of([&] { requests_from_miopen("conv -F 1 " + flag); });
    };
    // Each flag, a value of it that is served, one that is not, and the rule.
    for(const auto& [flag, served, other, rule] :
        {std::array{"pad_mode", "default", "same", "only default is served"},
         std::array{"pad_mode", "default", "valid", "only default is served"},
         std::array{"bias", "0", "1", "no bias is served here; see conv_fwd_bias_relu"},
         std::array{"tensor_vect", "0", "1", "no vectorized layout is served"},
         std::array{"wei_cast_type", "-1", "fp8", "no casts are served"},
         std::array{"in_cast_type", "-1", "bfp8", "no casts are served"},
         std::array{"out_cast_type", "-1", "1", "no casts are served"},
         std::array{"trans_output_pad_d", "0", "1", "output pads are of --mode trans"},
         std::array{"trans_output_pad_h", "0", "1", "output pads are of --mode trans"},
         std::array{"trans_output_pad_w", "0", "1", "output pads are of --mode trans"},
         std::array{"mode", "conv", "group", "must be conv or trans"},
         std::array{"in_layout", "NCHW", "NCHWc4", "must be NCHW, NHWC, NCDHW or NDHWC"},
         std::array{"spatial_dim", "2", "4", "must be 2 or 3"}})
    {
        const std::string option = std::string("--") + flag + ' ';
        EXPECT_EQ(refusal(option + served), "nothing was refused");
        EXPECT_EQ(refusal(option + other),
                  std::string("MIOpenDriver's --") + flag + " is '" + other + "', but " + rule);
    }
    for(const char* forw : {"-1", "8"})
        EXPECT_NE(refusal(std::string("-F ") + forw).find("must be 0 (all) or a sum"),
                  std::string::npos);
}

TEST(MIOpen, refusals_name_the_flag_and_the_rule)
{
    const auto refusal = [](const char* line) {
        return test::refusal_of([&] { requests_from_miopen(line); });
    };
    EXPECT_EQ(refusal("pool -n 1"),
              "MIOpenDriver's command is 'pool', but must be conv, convfp16, convbfp16, convint8, "
              "convfp8 "
              "or convbfp8");
    EXPECT_EQ(refusal("conv -c 4 -k 4 -g 0"),
              "MIOpenDriver's --in_channels is '4', but must be a multiple of the groups, 0");
    EXPECT_EQ(refusal("conv -m trans -H 1 -W 1 -y 1 -x 1 -p 3 -q 3")
                  .find("MIOpenDriver's problem is not a transposed convolution: "),
              0u);
    testing::internal::CaptureStderr();
    EXPECT_EQ(refusal("convfp8 -c 4 -k 4 -F 2").find("the type is 'f8'"), 0u);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "nothing is left out";
    EXPECT_EQ(refusal("conv -n"), "MIOpenDriver's '-n' has no value after it");
    EXPECT_EQ(refusal("conv --size 3"),
              "MIOpenDriver's '--size' is not a flag of a convolution command");
    EXPECT_EQ(refusal("conv -n two"),
              "MIOpenDriver's --batchsize is 'two', but must be a whole number");
    EXPECT_EQ(refusal("conv -m deconv"),
              "MIOpenDriver's --mode is 'deconv', but must be conv or trans");
    EXPECT_EQ(refusal("conv --trans_output_pad_h 1"),
              "MIOpenDriver's --trans_output_pad_h is '1', but output pads are of --mode trans");
    EXPECT_EQ(
        refusal("conv -m trans -u 2 --trans_output_pad_h 2"),
        "MIOpenDriver's --trans_output_pad_h is '2', but must be at least 0 and less than the "
        "stride or the dilation");
    EXPECT_EQ(refusal("MIOpenDriver.exe"),
              "MIOpenDriver's command is '', but must be conv, convfp16, convbfp16, convint8, "
              "convfp8 or convbfp8");
    EXPECT_EQ(refusal("conv -b 1"),
              "MIOpenDriver's --bias is '1', but no bias is served here; see conv_fwd_bias_relu");
    EXPECT_EQ(refusal("conv -c 5 -g 2"),
              "MIOpenDriver's --in_channels is '5', but must be a multiple of the groups, 2");
    EXPECT_EQ(refusal("conv --spatial_dim 1"),
              "MIOpenDriver's --spatial_dim is '1', but must be 2 or 3");
    EXPECT_EQ(refusal("conv --in_layout CHWN"),
              "MIOpenDriver's --in_layout is 'CHWN', but must be NCHW, NHWC, NCDHW or NDHWC");
    EXPECT_EQ(refusal("conv --in_layout NHWC --out_layout NCHW"),
              "MIOpenDriver's --out_layout is 'NCHW', but layouts must be the same");
    EXPECT_EQ(refusal("conv -F 9"),
              "MIOpenDriver's --forw is '9', but must be 0 (all) or a sum of 1 forward, 2 backward "
              "data, 4 backward weight");
    EXPECT_EQ(
        refusal("conv -H 0"),
        "MIOpenDriver's problem is not a convolution: the input length in H of a 2D convolution "
        "is 0, but must be at least 1");
}

} // namespace
} // namespace ck::profiler
