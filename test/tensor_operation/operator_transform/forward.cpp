// Forward against its definition, product by product.
//
// Labels: compiled alone
#include "ck/tensor_operation/operator_transform/forward.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <type_traits>
#include <vector>

namespace ck {
namespace {

static_assert(std::is_trivially_copyable_v<Forward> && std::is_aggregate_v<Forward>);
static_assert(std::is_trivially_copyable_v<Forward::Phase>);
static_assert(Forward::Phase::A::structure.checked_count() == 3,
              "only the windows over X are checked");
static_assert(Forward::Phase::B::structure.checked_count() == 0);
static_assert(Forward::Phase::C::structure.checked_count() == 0);
static_assert(Forward::Phase::A::structure.tops == 3 && Forward::Phase::B::structure.tops == 3);

struct Computed
{
    std::vector<Product> products;
    std::vector<long_index_t> written; // offsets in Y
};

/// What a kernel does that is launched for `images` images with numbers made for sub-batches of
/// `batch`.
Computed computed(const ConvProblem& p, index_t batch, index_t images)
{
    Computed r;
    const Forward transform    = Forward::make(p, batch);
    const Forward::Phase phase = transform.make_phase(0, images);
    EXPECT_EQ(transform.phase_count(), 1);
    EXPECT_TRUE(phase.a.divisible() && phase.b.divisible() && phase.c.divisible());
    const index_t rows = phase.a.extent<0>();
    EXPECT_EQ(rows, phase.c.extent<0>());
    if(images == batch)
    {
        EXPECT_EQ(rows, transform.max_rows());
    }
    EXPECT_LE(rows, transform.max_rows());
    EXPECT_EQ(phase.tap_count, phase.a.extent<1>());
    EXPECT_EQ(phase.tap_count, phase.b.extent<1>());
    EXPECT_EQ(phase.a.extent<2>(), p.in_channels);
    EXPECT_EQ(phase.b.extent<2>(), p.in_channels);
    EXPECT_EQ(phase.b.extent<0>(), p.out_channels);
    EXPECT_EQ(phase.c.extent<1>(), p.out_channels);
    for(index_t row = 0; row < rows; ++row)
    {
        for(index_t k = 0; k < p.out_channels; ++k)
            r.written.push_back(phase.c(row, k).offset);
        for(index_t tap = 0; tap < phase.tap_count; ++tap)
            for(index_t c = 0; c < p.in_channels; ++c)
                if(const Place x = phase.a(row, tap, c); x.valid)
                    for(index_t k = 0; k < p.out_channels; ++k)
                    {
                        const Place w = phase.b(k, tap, c);
                        EXPECT_TRUE(w.valid);
                        r.products.push_back({x.offset, phase.c(row, k).offset, w.offset});
                    }
    }
    EXPECT_FALSE(phase.a(rows, 0, 0).valid || phase.c(rows, 0).valid) << "rows end";
    EXPECT_FALSE(phase.a(0, phase.tap_count, 0).valid) << "taps end";
    EXPECT_FALSE(phase.b(static_cast<index_t>(p.out_channels), 0, 0).valid) << "columns end";
    return r;
}

void expect_equal(const ConvProblem& p, index_t batch)
{
    const auto images       = static_cast<index_t>(p.batch);
    const Computed all_rows = computed(p, batch, images);
    expect_same_products(all_rows.products, p);
    expect_each_written_once(all_rows.written, p.output_lengths(), p.output_strides, p);
}

TEST(Forward, random_problems_1d) { expect_random_problems_equal(1, 3000, expect_equal); }
TEST(Forward, random_problems_2d) { expect_random_problems_equal(2, 400, expect_equal); }
TEST(Forward, random_problems_3d) { expect_random_problems_equal(3, 250, expect_equal); }

TEST(Forward, every_stride_dilation_filter_and_pad_of_one_dimension)
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

TEST(Forward, one_dimension_by_hand)
{
    // y[o] = sum of x[2o - 1 + t] w[t]: x[-1] is padding
    const ConvProblem p = make_packed_problem<1>(1, 1, 1, 1, {3}, {4}, {2}, {1}, {1}, {0});
    const auto phase    = Forward::make(p, 1).make_phase(0, 1);
    ASSERT_EQ(phase.a.extent<0>(), 2);
    EXPECT_FALSE(phase.a(0, 0, 0).valid);
    EXPECT_EQ(phase.a(0, 2, 0).offset, 1);
    EXPECT_EQ(phase.a(1, 0, 0).offset, 1);
    EXPECT_EQ(phase.a(1, 2, 0).offset, 3);
    EXPECT_TRUE(phase.a(1, 2, 0).valid);
}

TEST(Forward, empty_output_and_empty_batch)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 2, 2, {5, 5}, {3, 3}, {2, 2}, {2, 2}, {0, 0}, {0, 0});
    ASSERT_EQ(p.output()[1], 0);
    expect_equal(p, 2);
    p.batch = 0;
    expect_equal(p, 1);
}

TEST(Forward, tensors_that_are_broadcast)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 3, 2, {3, 3}, {5, 4}, {2, 1}, {1, 2}, {1, 1}, {1, 2});
    p.filter_strides[1] = 0;
    p.input_strides[4]  = 0;
    expect_equal(p, 2);
}

TEST(Forward, parts_move_on_their_own)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 2, 3, 2, {3, 3}, {7, 6}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
    const auto phase = Forward::make(p, 2).make_phase(0, 2);
    for(index_t row = 0; row < phase.a.extent<0>() + 3; ++row)
    {
        const auto row_part = phase.a.part<0>(row);
        for(index_t tap = 0; tap < phase.tap_count; ++tap)
        {
            const auto window = combine(row_part, phase.a.part<1>(tap));
            for(index_t c = 0; c < 2; ++c)
            {
                const auto sum    = combine(window, phase.a.part<2>(c));
                const Place place = phase.a(row, tap, c);
                EXPECT_EQ(phase.a.inside(sum), place.valid);
                EXPECT_EQ(sum.offset, place.offset);
            }
        }
    }
}

} // namespace
} // namespace ck
