// Partial sums of rows of C: their bytes, and what a launch that adds them up cannot do.
#include "ck/tensor_operation/gpu/conv/launch/reduce_launch.hpp"

#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device {
namespace {

using Sum = grid::ReducePartialSums<BackwardWeight, float, element_wise::PassThrough>;

TEST(PartialRows, HaveRowsOfWholeStores)
{
    const PartialRows<float> of_one{5, 7, 6, 3};
    EXPECT_EQ(of_one.at(nullptr).row_length, 8);
    EXPECT_EQ(of_one.at(nullptr).group, 5 * 8);
    EXPECT_EQ(of_one.bytes(), 4u * 3 * 6 * 5 * 8);
    EXPECT_EQ((PartialRows<double>{5, 7, 6, 3}.bytes()), 8u * 3 * 6 * 5 * 8);
    EXPECT_TRUE(of_one.check<Sum>());
}

TEST(PartialRows, OfMergedGroupsHaveTheirRowsAndColumns)
{
    const PartialRows<float> of_pairs{5, 7, 6, 3, 2};
    EXPECT_EQ(of_pairs.at(nullptr).row_length, 16);
    EXPECT_EQ(of_pairs.at(nullptr).group, 2 * 5 * 16);
    EXPECT_EQ(of_pairs.bytes(), 4u * 3 * 3 * 2 * 5 * 16);
}

TEST(PartialRows, AreWithinOffsetsAndBlockNumbers)
{
    EXPECT_EQ((PartialRows<float>{1 << 15, 1 << 15, 1, 2}.check<Sum>().reason),
              "the rows and columns of a partial are 1073741824 sums, but 32-bit offsets need less "
              "than 2^31 bytes");
    EXPECT_EQ((PartialRows<float>{1, 2048, 1 << 30, 2}.check<Sum>().reason),
              "adding up takes 2147483648 blocks, but a launch has fewer than 2^31");
    EXPECT_TRUE((PartialRows<float>{1, 1024, 1 << 30, 2}.check<Sum>()));
}

TEST(PartialRows, AreAddedUpByALaunch)
{
    Sum::Params s{};
    LaunchList list;
    PartialRows<float>{5, 7, 6, 3, 2}.add<Sum>(list, s, nullptr);
    ASSERT_EQ(list.launches.size(), 1u);
    EXPECT_EQ(list.launches[0].grid_size % 6, 0) << "as many for each group";
    EXPECT_EQ(list.launches[0].block_size, Sum::block_size);
}

} // namespace
} // namespace ck::tensor_operation::device
