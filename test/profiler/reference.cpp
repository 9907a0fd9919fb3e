#include "reference.hpp"

#include <gtest/gtest.h>

#include "convolution.hpp"
#include "operations.hpp"
#include "problem_text.hpp"
#include <limits>
#include <sstream>

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

/// Y of 1x1 with one channel is X times one weight.
class OneWeight : public testing::Test
{
protected:
    OneWeight()
    {
        const double w = operands[1].values()[0];
        for(const double x : operands[0].values())
            expected.push_back(x * w);
    }
    Accuracy compare(const std::vector<double>& values, const NumberType& type) const
    {
        std::vector<unsigned char> memory(values.size() * type.bytes);
        type.encode(values.data(), values.size(), memory.data());
        return Reference(request, request.problems[0].problem, shapes, operands, {}, Fill::integer)
            .compare(memory);
    }

    ConvRequest request    = request_of("grouped_conv_fwd", "f16", "n1 c1 k1 in3x5");
    const NumberType& half = number_type("f16");
    TensorShapes shapes{request.problems[0].problem, half, half, half};
    std::array<Block, 2> operands{Block(Fill::integer, 0, 15, half),
                                  Block(Fill::integer, 1, 1, half)};
    std::vector<double> expected;
};

TEST_F(OneWeight, is_right)
{
    const Accuracy a = compare(expected, half);
    EXPECT_TRUE(a.right);
    EXPECT_EQ(a.error, 0);
}

TEST_F(OneWeight, whole_numbers_are_compared_exactly)
{
    expected[7] += 1;
    const Accuracy a = compare(expected, half);
    EXPECT_FALSE(a.right);
    EXPECT_EQ(a.first_wrong, 7u);
}

TEST_F(OneWeight, nan_is_wrong)
{
    expected[14]     = std::numeric_limits<double>::quiet_NaN();
    const Accuracy a = compare(expected, half);
    EXPECT_FALSE(a.right);
    EXPECT_EQ(a.first_wrong, 14u);
}

TEST(Bound, of_doubles_is_of_their_roundoff)
{
    const ConvRequest request = request_of("grouped_conv_fwd", "f64", "n1 c1 k1 in3x5");
    const NumberType& f64     = number_type("f64");
    const ConvProblem& p      = request.problems[0].problem;
    const TensorShapes shapes(p, f64, f64, f64);
    const std::array<Block, 2> operands{Block(Fill::normal, 0, 15, f64),
                                        Block(Fill::normal, 1, 1, f64)};
    std::vector<double> y = operands[0].values();
    for(double& value : y)
        value *= operands[1][0];
    const auto compare = [&] {
        std::vector<unsigned char> memory(y.size() * sizeof(double));
        f64.encode(y.data(), y.size(), memory.data());
        return Reference(request, p, shapes, operands, {}, Fill::normal).compare(memory);
    };
    EXPECT_TRUE(compare().right);
    y[3] *= 1 + 1e-14;
    EXPECT_FALSE(compare().right);
}

// A kernel that leaves its result as it was, and one that throws.
ConvKernel idle_kernel()
{
    return {"_Idle<1>",
            [](const ConvArgument&) { return Support{}; },
            [](const ConvArgument&) { return std::size_t{0}; },
            [](const ConvArgument&, const StreamConfig&) { return 0.f; },
            [](const ConvArgument&) { return 0.; },
            [](const ConvArgument&) { return std::optional<double>(0.); }};
}
ConvKernel throwing_kernel()
{
    ConvKernel kernel = idle_kernel();
    kernel.name       = "_Throwing<1>";
    kernel.run        = [](const ConvArgument&, const StreamConfig&) -> float {
        throw std::runtime_error("it broke");
    };
    return kernel;
}

TEST(Wrong, results_are_found_and_not_recorded)
{
    for(const char* operation :
        {"grouped_conv_fwd", "grouped_conv_bwd_data", "grouped_conv_bwd_weight"})
        for(const char* type : {"f16", "f32", "i8"})
        {
            const ConvRequest request = request_of(operation, type, "n1 c3 k4 in5x5 f3 p1");
            Options options;
            options.instances = "_(Idle|Throwing)<"; // not what the rule takes
            std::ostringstream out;
            Report report(options, out);
            const ConvKernel kernels[] = {idle_kernel(), throwing_kernel()};
            profile(request, kernels, options, report);
            EXPECT_EQ(report.status(), 1) << operation;
            EXPECT_TRUE(report.results().empty()) << out.str();
            EXPECT_NE(out.str().find("_Idle<1>\n    FAILED: element "), std::string::npos)
                << out.str();
            EXPECT_NE(out.str().find("_Throwing<1>\n    FAILED: it broke"), std::string::npos)
                << out.str();
            EXPECT_NE(out.str().find("Fail info: "), std::string::npos) << out.str();
        }
}

TEST(Operations, every_family_of_the_table_is_the_librarys)
{
    for(const ConvOperation& operation : conv_operations())
        for(const Types& types : operation.types)
            EXPECT_FALSE(kernels_of(family_of(operation, types)).empty())
                << operation.name << ' ' << operation.variant << ' ' << types.name;
}

} // namespace
} // namespace ck::profiler
