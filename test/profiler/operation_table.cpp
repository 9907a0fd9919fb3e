#include "operation_table.hpp"

#include <gtest/gtest.h>

#include "conv_command.hpp"
#include "operations.hpp"
#include <sstream>
#include <string>

namespace ck::profiler {
namespace {

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
                "  7  Ms: one number for each GEMM, separated by commas\n"
                "  8  Ns: one number for each GEMM, separated by commas\n"
                "  9  Ks: one number for each GEMM, separated by commas\n"
                "  10  StrideAs: one number for each GEMM, separated by commas; 0 or -1: packed\n"
                "  11  StrideBs: one number for each GEMM, separated by commas; 0 or -1: packed\n"
                "  12  StrideCs: one number for each GEMM, separated by commas; 0 or -1: packed\n"
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

} // namespace
} // namespace ck::profiler
