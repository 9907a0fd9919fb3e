// How many products a kernel of int8 adds up in 32 bits, and into how many partial sums backward
// weight is cut for it: the partial sums of usual problems stay as they are.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/sum_length.hpp"

#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"

#include <gtest/gtest.h>

#include "tables/dl.hpp"
#include "tables/mma.hpp"
#include "tables/wgmma.hpp"
#include "tables/wmma.hpp"
#include "tables/xdl.hpp"

namespace ck::tensor_operation::device::sum_length {
namespace {

TEST(SumLength, IsThatOfTheLargestProducts)
{
    constexpr long_index_t largest = 128 * 128, end = std::numeric_limits<std::int32_t>::max();
    static_assert(most_int8_products == 131071);
    static_assert(most_int8_products * largest <= end && (most_int8_products + 1) * largest > end);
    EXPECT_TRUE(check_int8_products(most_int8_products));
    const Support s = check_int8_products(most_int8_products + 1);
    EXPECT_FALSE(s);
    EXPECT_NE(s.reason.find("a sum has 131072 products"), std::string::npos) << s.reason;
    EXPECT_NE(s.reason.find("at most 131071"), std::string::npos) << s.reason;
}

TEST(SumLength, IsOfChannelsAndTaps)
{
    ConvProblem p;
    p.out_channels = 3;
    p.in_channels  = 5;
    p.filter       = {2, 7, 11};
    EXPECT_EQ(products_of_sum<ForwardDirection>(p), 5 * 2 * 7 * 11);
    EXPECT_EQ(products_of_sum<BackwardDataDirection>(p), 3 * 2 * 7 * 11);
    p.in_channels = long_index_t{1} << 40;
    p.filter[2]   = long_index_t{1} << 40;
    EXPECT_EQ(products_of_sum<ForwardDirection>(p), std::numeric_limits<long_index_t>::max());
}

TEST(SumLength, OfAPartialIsWholeSlices)
{
    ConvProblem p;
    p.rank  = 2;
    p.batch = 10;
    p.input = {1, 10, 10};
    SplitPlan split;
    EXPECT_EQ(pixels_of_partial(p, 10, split, 32), 1000);
    EXPECT_EQ(pixels_of_partial(p, 4, split, 32), 400); // pixels of a sub-batch
    split.partial_sums = 3;                             // three sums of 32 slices
    EXPECT_EQ(pixels_of_partial(p, 10, split, 32), 11 * 32);
    split.last_tiles        = 1;
    split.last_partial_sums = 2;
    EXPECT_EQ(pixels_of_partial(p, 10, split, 32), 16 * 32);
}

using Int8 = ConvTypes<std::int8_t,
                       std::int8_t,
                       std::int8_t,
                       element_wise::PassThrough,
                       element_wise::PassThrough,
                       element_wise::PassThrough>;

ConvProblem problem(long_index_t groups,
                    long_index_t batch,
                    long_index_t k,
                    long_index_t c,
                    long_index_t filter,
                    long_index_t image)
{
    return make_packed_problem<2>(groups,
                                  batch,
                                  k,
                                  c,
                                  {filter, filter},
                                  {image, image},
                                  {1, 1},
                                  {1, 1},
                                  {filter / 2, filter / 2},
                                  {filter / 2, filter / 2});
}

/// The plan of split_k, and the products of its partial sums.
template <GemmTuning tuning>
struct Planned
{
    using Operation = BackwardWeightOperation<Int8, tuning>;
    using Launcher  = typename Operation::Gemm::Launcher;

    typename Operation::Argument argument{};
    long_index_t products = 0;

    Planned(const ConvProblem& p, index_t split_k)
    {
        argument.problem = p;
        argument.split_k = split_k;
        Operation::make_plan(argument);
        products = Launcher::products_of_sum(p,
                                             BackwardWeightDirection::largest_batch(p, {1, 1, 1}),
                                             compute_unit_count(),
                                             argument.plan.split);
    }
    index_t partial_sums() const { return argument.plan.split.partial_sums; }
};

/// Whether a tuning cuts the sums of problems with more pixels than 32 bits hold, and no others.
template <GemmTuning tuning>
void expect_cut(const ConvProblem& usual, const ConvProblem& large)
{
    SCOPED_TRACE(arch::describe(tuning.instruction).name);
    for(const index_t split_k : {-1, 1, 2, 7})
    {
        SCOPED_TRACE(split_k);
        const Planned<tuning> few(usual, split_k), many(large, split_k);
        EXPECT_LE(few.products, most_int8_products);
        EXPECT_LE(many.products, most_int8_products);
        if(split_k > 0)
        {
            EXPECT_LE(few.partial_sums(), split_k);
            EXPECT_LE(many.partial_sums(), 2 * std::max<long_index_t>(split_k, 13));
        }
        else // at most enough to fill the device
            EXPECT_EQ(few.partial_sums(),
                      Planned<tuning>(usual, few.partial_sums()).partial_sums());
    }
}

TEST(SumLength, CutsBackwardWeightOfManyPixels)
{
    constexpr Direction weight = Direction::backward_weight;
    const ConvProblem usual = problem(1, 32, 64, 64, 3, 56), large = problem(1, 512, 64, 64, 3, 56);
    expect_cut<tables::xdl<weight, tables::xdl_i8>[0]>(usual, large);
    expect_cut<tables::wmma<weight, tables::wmma_gfx11_i8>[0]>(usual, large);
    expect_cut<tables::mma<weight, tables::mma_i8>[0]>(usual, large);
    expect_cut<tables::wgmma<weight, tables::wgmma_i8>[0]>(usual, large);
    expect_cut<tables::dl<weight, tables::dl_i8>[0]>(usual, large);
    expect_cut<tables::i8_channel_slice_weight[0]>(problem(16, 32, 4, 4, 3, 56),
                                                   problem(16, 512, 4, 4, 3, 56)); // with groups
    expect_cut<tables::dl_depthwise<weight, tables::dl_i8>[0]>(problem(64, 32, 1, 1, 3, 56),
                                                               problem(64, 512, 1, 1, 3, 56));
}

} // namespace
} // namespace ck::tensor_operation::device::sum_length
