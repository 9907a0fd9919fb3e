// Rows by the names that runtimes have for devices; shares.
#include "roofline.hpp"

#include <gtest/gtest.h>

namespace {

using namespace ck::profiler;

double tflops(const char* device, const char* type)
{
    const auto r = find_roofline(device, type);
    return r ? r->tflops : -1;
}

TEST(Roofline, IsOfTheDeviceThatTheRuntimeNames)
{
    const struct
    {
        const char* name;
        double f16, gbytes;
    } devices[] = {{"NVIDIA H200", 989.5, 4800},
                   {"NVIDIA H200 NVL", 835.5, 4800},
                   {"NVIDIA H100 80GB HBM3", 989.5, 3350},
                   {"NVIDIA H100 PCIe", 756, 2039},
                   {"NVIDIA H100 NVL", 835.5, 3900},
                   {"NVIDIA A100-SXM4-40GB", 312, 1555},
                   {"NVIDIA A100-PCIE-40GB", 312, 1555},
                   {"NVIDIA A100-SXM4-80GB", 312, 2039},
                   {"NVIDIA A100 80GB PCIe", 312, 1935},
                   {"AMD Instinct MI100", 184.6, 1228.8},
                   {"AMD Instinct MI210", 181, 1638.4},
                   {"AMD Instinct MI250X/MI250", 191.5, 1638.4},
                   {"AMD Instinct MI250", 181, 1638.4},
                   {"AMD Instinct MI300X", 1307.4, 5300},
                   {"AMD Instinct MI300A", 980.6, 5300},
                   {"AMD Radeon RX 7900 XTX", 122.8, 960},
                   {"AMD Radeon RX 7900 XT", 103, 800},
                   {"AMD Radeon RX 9070 XT", 195, 640}};
    for(const auto& d : devices)
    {
        const auto r = find_roofline(d.name, "f16");
        ASSERT_TRUE(r) << d.name;
        EXPECT_EQ(r->tflops, d.f16) << d.name;
        EXPECT_EQ(r->gbytes, d.gbytes) << d.name;
    }
}

TEST(Roofline, IsOfANameThatIsAWord)
{
    for(const char* device : {"H200", "H200 of somebody", "(H200)", "NVIDIA-H200"})
        EXPECT_EQ(tflops(device, "f16"), 989.5) << device;
    for(const char* device : {"GH200", "NVIDIA GH200 480GB", "H200S", "xH200"})
        EXPECT_EQ(tflops(device, "f16"), -1) << device;
}

TEST(Roofline, NamesItsSource)
{
    EXPECT_EQ(find_roofline("NVIDIA H200", "f16")->source, "NVIDIA's datasheet of the H200");
    EXPECT_EQ(find_roofline("AMD Instinct MI210", "f16")->source, "AMD's datasheet of the MI210");
    EXPECT_EQ(find_roofline("AMD Instinct MI250X", "f16")->source,
              "AMD's datasheet of the MI250X, half of it: a device is one of the two dies");
}

TEST(Roofline, IsOfTheType)
{
    const struct
    {
        const char* type;
        double h200, mi300x, mi100, xtx; ///< -1: none
    } types[] = {{"f64", 67, 163.4, 11.5, 1.9},
                 {"f32", 67, 163.4, 46.1, 61.4},
                 {"tf32", 494.7, 653.7, -1, -1},
                 {"f16", 989.5, 1307.4, 184.6, 122.8},
                 {"bf16", 989.5, 1307.4, 92.3, 122.8},
                 {"i8", 1979, 2614.9, 184.6, 122.8},
                 {"f8", 989.5, 2614.9, 92.3, 122.8},
                 {"bf8", 989.5, 2614.9, 92.3, 122.8},
                 {"f8_ocp", 1979, 1307.4, 92.3, 122.8},
                 {"bf8_ocp", 1979, 1307.4, 92.3, 122.8},
                 {"f4", -1, -1, -1, -1}};
    for(const auto& t : types)
    {
        EXPECT_EQ(tflops("NVIDIA H200", t.type), t.h200) << t.type;
        EXPECT_EQ(tflops("AMD Instinct MI300X", t.type), t.mi300x) << t.type;
        EXPECT_EQ(tflops("AMD Instinct MI100", t.type), t.mi100) << t.type;
        EXPECT_EQ(tflops("AMD Radeon RX 7900 XTX", t.type), t.xtx) << t.type;
    }
}

TEST(Roofline, IsNoneOfWhatIsNotInTheTable)
{
    EXPECT_FALSE(find_roofline("host CPU, GPU kernels emulated", "f16"));
    EXPECT_EQ(why_no_roofline("host CPU, GPU kernels emulated", "f16"),
              "no roofline: the peaks of 'host CPU, GPU kernels emulated' are not in the table");
    EXPECT_FALSE(find_roofline("AMD Instinct MI100", "tf32"));
    EXPECT_EQ(why_no_roofline("AMD Instinct MI100", "tf32"),
              "no roofline: AMD Instinct MI100 has no instruction that multiplies tf32");
    EXPECT_FALSE(find_roofline("NVIDIA H200", "f4"));
    for(const char* device : {"NVIDIA GH200 480GB",
                              "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
                              "AMD Radeon RX 7900 XTXs",
                              "AMD Radeon RX 7900 GRE",
                              ""})
        EXPECT_FALSE(find_roofline(device, "f16")) << device;
}

TEST(Roofline, HasEightBitFloatsWithoutInstructionsAsBf16)
{
    EXPECT_EQ(tflops("NVIDIA A100-SXM4-80GB", "f8_ocp"), 312);
    EXPECT_EQ(tflops("NVIDIA A100-SXM4-80GB", "bf8"), 312);
}

TEST(Roofline, KnowsWhatAnH200Sustains)
{
    const struct
    {
        const char* type;
        double tflops;
    } types[] = {
        {"f16", 790}, {"bf16", 790}, {"tf32", 380}, {"i8", 1580}, {"f8_ocp", 1580}, {"f32", 0}};
    for(const auto& t : types)
    {
        const auto r = find_roofline("NVIDIA H200", t.type);
        ASSERT_TRUE(r) << t.type;
        EXPECT_EQ(r->sustained_tflops, t.tflops) << t.type;
        EXPECT_EQ(r->sustained_gbytes, 4300);
        EXPECT_LE(r->sustained_tflops, r->tflops);
    }
    const auto other = find_roofline("NVIDIA H200 NVL", "f16");
    EXPECT_EQ(other->sustained_tflops, 0);
    EXPECT_EQ(other->sustained_gbytes, 0);
}

TEST(Roofline, ShareIsOfComputeOrOfMemory)
{
    const Roofline r{1000, 4000, 0, 0, ""}; // 1e12 operations, 4e9 bytes a millisecond
    EXPECT_DOUBLE_EQ(least_ms(r, 1e12, 1e9), 1);
    EXPECT_DOUBLE_EQ(least_ms(r, 1e11, 4e9), 1);
    EXPECT_DOUBLE_EQ(share_of_roofline(r, 1e12, 1e9, 2), 0.5);
    EXPECT_DOUBLE_EQ(share_of_roofline(r, 1e11, 4e9, 4), 0.25);
    EXPECT_GT(share_of_roofline(r, 1e12, 1e9, 0.9), 1); // a wrong measurement
}

} // namespace
