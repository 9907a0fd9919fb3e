#include "reference.hpp"

#include <gtest/gtest.h>

#include "convolution.hpp"
#include "operations.hpp"
#include "problem_text.hpp"
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

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

/// One product of operands that are first rounded to the types in which they are multiplied.
TEST(ReferenceOfOperands, is_of_the_rounded_ones)
{
    const auto rounded = [](double value, const std::string& to) {
        const NumberType& type = number_type(to);
        unsigned char bytes[8];
        type.encode(&value, 1, bytes);
        type.decode(bytes, 1, &value);
        return value;
    };
    for(const auto& [operation, type] : {std::pair("grouped_conv_fwd", "f16_as_f8"),
                                         std::pair("grouped_conv_bwd_weight", "f16_as_bf8_f8")})
    {
        const ConvRequest request = request_of(operation, type, "n1 c1 k1 in1");
        const NumberType& half    = number_type("f16");
        const ConvProblem& p      = request.problems[0].problem;
        const TensorShapes shapes(p, half, half, half);
        const std::array<Block, 2> operands{Block(Fill::normal, 0, 1, half),
                                            Block(Fill::normal, 1, 1, half)};
        const bool forward = request.family.direction == Direction::forward;
        const double first = rounded(operands[0][0],
                                     forward ? request.family.compute_a : request.family.compute_b),
                     second =
                         rounded(operands[1][0],
                                 forward ? request.family.compute_b : request.family.compute_a);
        EXPECT_NE(first, operands[0][0]);
        EXPECT_NE(second, operands[1][0]);
        const double product = first * second;
        std::vector<unsigned char> memory(2);
        half.encode(&product, 1, memory.data());
        const Accuracy a =
            Reference(request, p, shapes, operands, {}, Fill::normal).compare(memory);
        EXPECT_TRUE(a.right) << operation;
        EXPECT_LE(a.error, std::abs(product) * 0x1p-11) << operation;
    }
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

/// A 1D convolution of doubles by its definition: each element's sum, and that of the magnitudes.
struct Sums
{
    static constexpr std::size_t n = 2, c = 3, k = 2, in = 4, f = 2, out = 3;
    const NumberType& f64 = number_type("f64");
    ConvRequest request;
    TensorShapes shapes{request.problems[0].problem, f64, f64, f64};
    std::array<Block, 2> operands;
    std::vector<double> value, magnitude;

    explicit Sums(const char* operation)
        : request(request_of(operation, "f64", "n2 c3 k2 in4 f2")),
          operands([&] {
              const std::size_t result = result_of(request.family.direction);
              return std::array{Block(Fill::normal, 0, shapes.elements[result == 0 ? 1 : 0], f64),
                                Block(Fill::normal, 1, shapes.elements[result == 2 ? 1 : 2], f64)};
          }())
    {
        const std::size_t result = result_of(request.family.direction);
        value.resize(static_cast<std::size_t>(shapes.elements[result]));
        magnitude.resize(value.size());
        for(std::size_t image = 0; image < n; ++image)
            for(std::size_t o = 0; o < out; ++o)
                for(std::size_t row = 0; row < k; ++row)
                    for(std::size_t tap = 0; tap < f; ++tap)
                        for(std::size_t channel = 0; channel < c; ++channel)
                            add(result,
                                {(image * in + o + tap) * c + channel,
                                 (row * f + tap) * c + channel,
                                 (image * out + o) * k + row});
    }
    Accuracy compare(const std::vector<double>& values) const
    {
        std::vector<unsigned char> memory(values.size() * sizeof(double));
        f64.encode(values.data(), values.size(), memory.data());
        return Reference(request, request.problems[0].problem, shapes, operands, {}, Fill::normal)
            .compare(memory);
    }

private:
    void add(std::size_t result, const std::array<std::size_t, 3>& at)
    {
        const double product =
            operands[0][at[result == 0 ? 1 : 0]] * operands[1][at[result == 2 ? 1 : 2]];
        value[at[result]] += product;
        magnitude[at[result]] += std::abs(product);
    }
};

TEST(Bound, is_as_many_roundoffs_as_a_sum_has_terms_and_one)
{
    const std::pair<const char*, double> terms[]{{"grouped_conv_fwd", Sums::f * Sums::c},
                                                 {"grouped_conv_bwd_data", Sums::f * Sums::k},
                                                 {"grouped_conv_bwd_weight", Sums::n * Sums::out}};
    for(const auto& [operation, count] : terms)
        for(const std::size_t element : {0u, 7u})
        {
            const Sums sums(operation);
            const double bound = sums.magnitude[element] * (count + 1) * 0x1p-52;
            for(const double sign : {1., -1.})
            {
                std::vector<double> values = sums.value;
                values[element] += sign * .5 * bound;
                const Accuracy right = sums.compare(values);
                EXPECT_TRUE(right.right) << operation;
                EXPECT_NEAR(right.error / bound, .5, .3) << operation;
                EXPECT_NEAR(right.bound / bound, 1, .3) << operation;
                values[element]      = sums.value[element] + sign * 1.8 * bound;
                const Accuracy wrong = sums.compare(values);
                EXPECT_FALSE(wrong.right) << operation;
                EXPECT_EQ(wrong.first_wrong, element) << operation;
                EXPECT_EQ(wrong.got, values[element]) << operation;
                EXPECT_NEAR(wrong.expected, sums.value[element], bound) << operation;
                EXPECT_NEAR(wrong.error / bound, 1.8, .3) << operation;
                EXPECT_NEAR(wrong.bound / bound, 1, .3) << operation;
            }
        }
}

TEST(Bound, the_first_wrong_element_of_a_long_result_is_told)
{
    const ConvRequest request = request_of("grouped_conv_fwd", "f32", "n1 c1 k1 in20000");
    const NumberType& f32     = number_type("f32");
    const ConvProblem& p      = request.problems[0].problem;
    const TensorShapes shapes(p, f32, f32, f32);
    const std::array<Block, 2> operands{Block(Fill::integer, 0, 20000, f32),
                                        Block(Fill::integer, 1, 1, f32)};
    std::vector<double> y = operands[0].values();
    for(double& value : y)
        value *= operands[1][0];
    for(const std::size_t wrong : {19999u, 12000u, 5000u, 4096u, 4095u, 1u})
    {
        y[wrong] += 1;
        std::vector<unsigned char> memory(y.size() * f32.bytes);
        f32.encode(y.data(), y.size(), memory.data());
        const Accuracy a =
            Reference(request, p, shapes, operands, {}, Fill::integer).compare(memory);
        EXPECT_FALSE(a.right);
        EXPECT_EQ(a.first_wrong, wrong);
        EXPECT_EQ(a.error, 1);
        EXPECT_EQ(a.bound, 0);
    }
}

// A kernel that leaves its result as it was, and one that throws.
ConvKernel idle_kernel()
{
    return {"_Idle<1>",
            [](const ConvArgument&) { return Support{}; },
            [](const ConvArgument&) { return std::size_t{0}; },
            [](const ConvArgument&, LaunchList&) {},
            [](const ConvArgument&) { return 0.; },
            [](const auto&) { return std::optional<double>(0.); }};
}
ConvKernel throwing_kernel()
{
    ConvKernel kernel = idle_kernel();
    kernel.name       = "_Throwing<1>";
    kernel.add = [](const ConvArgument&, LaunchList&) { throw std::runtime_error("it broke"); };
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
            options.instances = "_(Idle|Throwing)<"; // not chosen by the rule
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
