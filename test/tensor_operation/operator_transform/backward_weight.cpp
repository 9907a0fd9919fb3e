// Backward weight against its definition, product by product.
//
// Labels: compiled alone
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <algorithm>
#include <type_traits>
#include <vector>

namespace ck {
namespace {

static_assert(std::is_trivially_copyable_v<BackwardWeight> && std::is_aggregate_v<BackwardWeight>);
static_assert(std::is_trivially_copyable_v<BackwardWeight::Phase>);
static_assert(BackwardWeight::Phase::A::structure.checked_count() == 0);
static_assert(BackwardWeight::Phase::B::structure.checked_count() == 3,
              "only the windows over X are checked");
static_assert(BackwardWeight::Phase::C::structure.checked_count() == 0);
static_assert(BackwardWeight::Phase::A::structure.tops == 2 &&
              BackwardWeight::Phase::B::structure.tops == 2);

/// Adds the products of images [first, first + images), which are [0, images) of a sub-batch.
void compute_sub_batch(const ConvProblem& p,
                       const BackwardWeight& transform,
                       index_t first,
                       index_t images,
                       std::vector<Product>& products)
{
    const BackwardWeight::Phase phase = transform.make_phase(0, images);
    EXPECT_TRUE(phase.a.divisible() && phase.b.divisible() && phase.c.divisible());
    EXPECT_EQ(phase.a.extent<0>(), p.out_channels);
    EXPECT_EQ(phase.a.extent<0>(), phase.c.extent<0>());
    EXPECT_EQ(phase.b.extent<0>(), phase.c.extent<1>());
    EXPECT_EQ(phase.a.extent<1>(), phase.reduction);
    EXPECT_EQ(phase.b.extent<1>(), phase.reduction);
    EXPECT_LE(phase.reduction, transform.max_reduction());
    const index_t rows = phase.a.extent<0>(), columns = phase.b.extent<0>();
    for(index_t row = 0; row < rows; ++row)
        for(index_t i = 0; i < phase.reduction + 5; ++i)
        {
            const Place dy = phase.a(row, i);
            EXPECT_EQ(dy.valid, i < phase.reduction);
            for(index_t column = 0; dy.valid && column < columns + 2; ++column)
                if(const Place x = phase.b(column, i), dw = phase.c(row, column); x.valid)
                {
                    EXPECT_TRUE(dw.valid);
                    products.push_back({x.offset + first * p.input_strides[1],
                                        dy.offset + first * p.output_strides[1],
                                        dw.offset});
                }
        }
    EXPECT_FALSE(phase.a(rows, 0).valid || phase.c(rows, 0).valid) << "rows end";
    EXPECT_FALSE(phase.b(columns, 0).valid || phase.c(0, columns).valid) << "columns end";
}

std::vector<Product> computed_in_sub_batches(const ConvProblem& p, index_t batch)
{
    const BackwardWeight transform = BackwardWeight::make(p, batch);
    EXPECT_EQ(transform.phase_count(), 1);
    EXPECT_EQ(transform.max_rows(), p.out_channels);
    std::vector<Product> products;
    const auto images = static_cast<index_t>(p.batch);
    for(index_t first = 0; first < images; first += batch)
        compute_sub_batch(p, transform, first, std::min(batch, images - first), products);
    return products;
}

void expect_equal(const ConvProblem& p, index_t batch)
{
    expect_same_products(computed_in_sub_batches(p, batch), p);
    expect_same_products(computed_in_sub_batches(p, 1), p);

    const auto phase = BackwardWeight::make(p, batch).make_phase(0, 0);
    std::vector<long_index_t> written;
    for(index_t row = 0; row < phase.c.extent<0>(); ++row)
        for(index_t column = 0; column < phase.c.extent<1>(); ++column)
            written.push_back(phase.c(row, column).offset);
    expect_each_written_once(written, p.filter_lengths(), p.filter_strides, p);
}

TEST(BackwardWeight, random_problems_1d) { expect_random_problems_equal(1, 3000, expect_equal); }
TEST(BackwardWeight, random_problems_2d) { expect_random_problems_equal(2, 400, expect_equal); }
TEST(BackwardWeight, random_problems_3d) { expect_random_problems_equal(3, 250, expect_equal); }

TEST(BackwardWeight, every_stride_dilation_filter_and_pad_of_one_dimension)
{
    for(long_index_t stride = 1; stride <= 6; ++stride)
        for(long_index_t dilation = 1; dilation <= 6; ++dilation)
            for(long_index_t filter = 1; filter <= 4; ++filter)
                for(long_index_t pad = 0; pad <= 7; ++pad)
                    for(const long_index_t input : {1, 5, 8})
                        ASSERT_NO_FATAL_FAILURE(expect_equal(
                            make_packed_problem<1>(
                                1, 1, 1, 1, {filter}, {input}, {stride}, {dilation}, {pad}, {3}),
                            1));
}

TEST(BackwardWeight, packed_columns_are_contiguous)
{
    const ConvProblem p = make_packed_problem<3>(
        2, 2, 3, 5, {3, 2, 2}, {4, 4, 4}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
    const auto phase = BackwardWeight::make(p, 2).make_phase(0, 2);
    ASSERT_EQ(phase.c.extent<1>(), 60);
    for(index_t column = 0; column < 60; ++column)
        EXPECT_EQ(phase.c(2, column).offset, 2 * 60 + column);
}

TEST(BackwardWeight, empty_output_and_empty_batch)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 2, 2, {5, 5}, {3, 3}, {2, 2}, {2, 2}, {0, 0}, {0, 0});
    ASSERT_EQ(p.output()[1], 0);
    EXPECT_EQ(BackwardWeight::make(p, 2).make_phase(0, 2).reduction, 0);
    expect_equal(p, 2);
    p.batch = 0;
    expect_equal(p, 1);
}

TEST(BackwardWeight, tensors_that_are_broadcast)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 3, 2, {3, 3}, {5, 4}, {2, 1}, {1, 2}, {1, 1}, {1, 2});
    p.input_strides[2]  = 0;
    p.output_strides[4] = 0;
    expect_equal(p, 2);
}

TEST(BackwardWeight, any_part_of_the_reduction_on_its_own)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 3, 2, 2, {3, 3}, {7, 6}, {2, 2}, {1, 2}, {1, 1}, {1, 1});
    const auto phase = BackwardWeight::make(p, 3).make_phase(0, 3);
    for(index_t i = phase.reduction + 3; i-- > 0;)
    {
        const auto a_part = phase.a.part<1>(i);
        const auto b_part = phase.b.part<1>(i);
        for(index_t row = 0; row < phase.a.extent<0>(); ++row)
        {
            const auto sum = combine(phase.a.part<0>(row), a_part);
            EXPECT_EQ(phase.a.inside(sum), phase.a(row, i).valid);
            EXPECT_EQ(sum.offset, phase.a(row, i).offset);
        }
        for(index_t column = 0; column < phase.b.extent<0>(); ++column)
        {
            const auto sum = combine(phase.b.part<0>(column), b_part);
            EXPECT_EQ(phase.b.inside(sum), phase.b(column, i).valid);
            EXPECT_EQ(sum.offset, phase.b(column, i).offset);
        }
    }
}

} // namespace
} // namespace ck
