// Forward and backward data with one merged reduction, over one group and over several as one,
// against the definition, product by product.
//
// Labels: compiled alone
// Cases not sanitized: MergedGroups.random_problems_1d MergedGroups.random_problems_2d
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"
#include "ck/tensor_operation/operator_transform/merged_forward.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <type_traits>
#include <vector>

namespace ck {
namespace {

/// Forward's tensors are X, W, Y in this order; backward data's dY, W, dX.
template <class Transform>
constexpr bool is_forward = std::is_same_v<Transform, MergedForward>;

template <class Transform>
std::vector<Product> computed(const ConvProblem& p, index_t batch, index_t groups)
{
    static_assert(std::is_trivially_copyable_v<Transform> && std::is_aggregate_v<Transform>);
    using Phase = typename Transform::Phase;
    static_assert(Phase::A::structure.tops == 2 && Phase::B::structure.tops == 2);
    static_assert(Phase::A::structure.checked_count() == 3);
    static_assert(Phase::B::structure.checked_count() == 1, "the group");

    std::vector<Product> products;
    const auto images     = static_cast<index_t>(p.batch);
    const ConvProblem all = merge_groups(p, groups);
    const auto columns    = is_forward<Transform> ? all.out_channels : all.in_channels;
    const auto channels   = is_forward<Transform> ? all.in_channels : all.out_channels;
    const Transform by    = Transform::make(all, batch, groups);
    index_t reductions    = 0;
    for(index_t number = 0; number < by.phase_count(); ++number)
    {
        const Phase phase       = by.make_phase(number, images);
        const index_t reduction = phase.a.template extent<1>();
        EXPECT_TRUE(phase.a.divisible() && phase.b.divisible() && phase.c.divisible());
        EXPECT_EQ(phase.b.template extent<1>(), reduction);
        EXPECT_EQ(phase.b.template extent<0>(), columns);
        EXPECT_EQ(phase.c.template extent<1>(), columns);
        EXPECT_EQ(phase.c.template extent<0>(), phase.a.template extent<0>());
        EXPECT_EQ(reduction % channels, 0);
        reductions += reduction;
        for(index_t row = 0; row < phase.a.template extent<0>(); ++row)
            for(index_t i = 0; i < reduction + 5; ++i)
                if(const Place a = phase.a(row, i); a.valid)
                    for(index_t column = 0; column < columns; ++column)
                        if(const Place b = phase.b(column, i); b.valid)
                        {
                            const index_t c = phase.c(row, column).offset;
                            products.push_back(is_forward<Transform>
                                                   ? Product{a.offset, c, b.offset}
                                                   : Product{c, a.offset, b.offset});
                        }
    }
    // Taps are in one phase each; those that meet no pixel of an input shorter than the stride, in
    // none.
    const long_index_t all_taps = p.filter[0] * p.filter[1] * p.filter[2] * channels;
    const bool shorter =
        p.input[0] < p.stride[0] || p.input[1] < p.stride[1] || p.input[2] < p.stride[2];
    if(is_forward<Transform> || !shorter)
    {
        EXPECT_EQ(reductions, all_taps);
    }
    EXPECT_LE(reductions, all_taps);
    return products;
}

/// For problems whose channels of all groups are neighbours.
void expect_equal(const ConvProblem& p, index_t batch)
{
    for(long_index_t groups = 1; groups <= p.groups; ++groups)
        if(p.groups % groups == 0)
        {
            const auto n = static_cast<index_t>(groups);
            expect_same_products(computed<MergedForward>(p, batch, n), p, groups);
            expect_same_products(computed<MergedBackwardData>(p, batch, n), p, groups);
        }
}

void expect_random_equal(index_t rank, int count)
{
    expect_random_problems_equal(rank, count, [](ConvProblem p, index_t batch) {
        const TensorStrides scattered = p.filter_strides;
        p.groups                      = 1;
        expect_equal(p, batch); // one group takes any strides
        p.groups = 4;
        set_packed_strides(p, PackedOrder::group_inside);
        expect_equal(p, batch);
        p.filter_strides = scattered; // the filter's may be any
        expect_equal(p, batch);
    });
}

TEST(MergedGroups, random_problems_1d) { expect_random_equal(1, 500); }
TEST(MergedGroups, random_problems_2d) { expect_random_equal(2, 60); }
TEST(MergedGroups, random_problems_3d) { expect_random_equal(3, 40); }

TEST(MergedGroups, depthwise_by_hand)
{
    // Two groups of one channel: y[o, g] = sum of x[o + t, g] w[g, t]
    ConvProblem p = make_packed_problem<1>(2, 1, 1, 1, {2}, {3}, {1}, {1}, {0}, {0});
    set_packed_strides(p, PackedOrder::group_inside);
    const auto phase = MergedForward::make(merge_groups(p, 2), 1, 2).make_phase(0, 1);
    ASSERT_EQ(phase.b.extent<0>(), 2);
    ASSERT_EQ(phase.b.extent<1>(), 4); // (t, g)
    for(index_t k = 0; k < 2; ++k)
        for(index_t i = 0; i < 4; ++i)
        {
            const Place w = phase.b(k, i);
            EXPECT_EQ(w.valid, i % 2 == k);
            if(w.valid)
            {
                EXPECT_EQ(w.offset, k * 2 + i / 2);
            }
        }
}

} // namespace
} // namespace ck
