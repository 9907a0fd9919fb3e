// Sums of int8 beyond 2^31: each family has a kernel that computes them, all that compute them are
// right, and the others say how long they are.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/kernel_setup.hpp"
#include <string>

namespace ck::test::long_sums {
namespace {

/// One image of one pixel and 1x1; of backward weight an image of many, and one channel each.
ConvProblem problem_of(Direction direction, long_index_t products)
{
    const bool weight = direction == Direction::backward_weight;
    ConvProblem p;
    p.rank         = 1;
    p.out_channels = direction == Direction::backward_data ? products : 2;
    p.in_channels  = direction == Direction::forward ? products : 3;
    p.input[2]     = weight ? products : 1;
    set_packed_strides(p);
    return p;
}

/// The values of a tensor, all the same.
Values values(const TensorLengths& lengths, double value)
{
    return {lengths, std::vector<double>(static_cast<std::size_t>(element_count(lengths)), value)};
}

bool of_pairs(const Family& f) { return f.a.find(' ') != std::string::npos; }

/// How many kernels of the family computed it, or, where they need not run, say that they would.
int expect_right(
    const Family& family, double value, double other, long_index_t products, bool runs = true)
{
    const ConvProblem p = problem_of(family.direction, products);
    const double sum    = value * other * static_cast<double>(products);
    const bool weight   = family.direction == Direction::backward_weight,
               data     = family.direction == Direction::backward_data;
    const Values x      = values(p.input_lengths(), data ? sum : value),
                 w      = values(p.filter_lengths(), weight ? sum : other),
                 y      = values(p.output_lengths(),
                            data     ? value
                                 : weight ? other
                                          : sum);
    KernelSetup setup(family, p, {x, w, y, data ? x : weight ? w : y}, weight ? -1 : 1);
    int right = 0;
    for(const ConvKernel& kernel : kernels_of(family))
    {
        if(const Support s = setup.supports(kernel); !s)
        {
            const bool by_length = s.reason.find("integers of 32 bits") != std::string::npos;
            EXPECT_EQ(by_length,
                      s.reason.find("a sum has " + std::to_string(products) + " products") !=
                          std::string::npos)
                << s.reason;
            continue;
        }
        // Doubles are slow on a CPU: short sums with all operations run in coverage.cpp.
        const bool doubles = kernel.name.find("dot_f64") != std::string::npos;
        if(runs && (!doubles || products > 131071))
        {
            EXPECT_EQ(setup.mistakes(kernel), 0u) << kernel.name;
        }
        ++right;
    }
    return right;
}

TEST(LongSums, AreRightInEveryFamily)
{
    int count = 0;
    for(const Family& family : families())
    {
        if(family.a.find("i8") == std::string::npos)
            continue;
        SCOPED_TRACE(std::string(name(family.direction)) + ' ' + family.operation_c + ' ' +
                     family.d);
        ++count;
        // Pairs are made of values and twice [-2, 2].
        const double most = of_pairs(family) ? 120 : 127;
        const bool runs   = family.operation_c == "PassThrough";
        const int right =
            expect_right(family, -most, runs && count % 2 == 0 ? most : -most, 150016, runs);
        if(family.c == "i32")
        {
            EXPECT_EQ(right, 0) << "the sums themselves, which integers of 32 bits do not hold";
        }
        else
        {
            EXPECT_GE(right, 1);
        }
    }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(count, 20);
#endif
}

// One product more than 32 bits hold, and not one more.
TEST(LongSums, EndWhere32BitsDo)
{
    constexpr long_index_t most = 131071;
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        for(const long_index_t products : {most, most + 1})
        {
            const bool weight = direction == Direction::backward_weight;
            Family family{direction,
                          "i8",
                          "i8",
                          "i8",
                          "",
                          "i8",
                          "i8",
                          "PassThrough",
                          "PassThrough",
                          "PassThrough"};
            CK_SKIP_IF_LIBRARY_LACKS(family);
            SCOPED_TRACE(std::string(name(direction)) + ' ' + std::to_string(products));
            const int right =
                expect_right(family, -128, -128, products, products == most || weight);
            // Only by the exact kernel, unless sums are cut.
            if(!weight && products > most)
                EXPECT_EQ(right, 1);
            else
                EXPECT_GE(right, 2);
        }
}

} // namespace
} // namespace ck::test::long_sums
